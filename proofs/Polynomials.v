(** The polynomials of the checker mean what they should, and the Bernstein lemma. *)

From Proofs Require Import Checker.
From Coq Require Import Lra Lia Psatz.
Open Scope R_scope.

(** ** Rationals *)

Lemma red_real a : Q2R (Qred a) = Q2R a.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma zero_real : Q2R 0 = 0.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma one_real : Q2R 1 = 1.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma minus_one_real : Q2R (-1) = -1.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma is_zero_real a : is_zero a = true -> Q2R a = 0.
Proof. destruct a as [[| n | n] d]; try discriminate. intros _. unfold Q2R. simpl. lra. Qed.

Lemma is_one_real a : is_one a = true -> Q2R a = 1.
Proof. destruct a as [[| [n | n |] | n] [d | d |]]; try discriminate. intros _. apply one_real. Qed.

Lemma plus_real a b : Q2R (plus a b) = Q2R a + Q2R b.
Proof.
  unfold plus. destruct (is_zero a) eqn:A; [apply is_zero_real in A; lra |].
  destruct (is_zero b) eqn:B; [apply is_zero_real in B; lra |]. rewrite red_real. apply Q2R_plus.
Qed.

Lemma minus_real a b : Q2R (minus a b) = Q2R a - Q2R b.
Proof.
  unfold minus. destruct (is_zero b) eqn:B; [apply is_zero_real in B; lra |]. rewrite red_real. apply Q2R_minus.
Qed.

Lemma times_real a b : Q2R (times a b) = Q2R a * Q2R b.
Proof.
  unfold times. destruct (is_zero a) eqn:A; cbn [orb]; [apply is_zero_real in A; rewrite A, zero_real; lra |].
  destruct (is_zero b) eqn:B; [apply is_zero_real in B; rewrite B, zero_real; lra |].
  destruct (is_one a) eqn:C; [apply is_one_real in C; rewrite C; lra |].
  destruct (is_one b) eqn:D; [apply is_one_real in D; rewrite D; lra |].
  rewrite red_real. apply Q2R_mult.
Qed.

Lemma natural_real n : Q2R (inject_Z (Z.of_nat n)) = INR n.
Proof. unfold Q2R, inject_Z. simpl. rewrite INR_IZR_INZ. field. Qed.

Lemma le_real a b : le a b = true -> Q2R a <= Q2R b.
Proof. unfold le. intro H. apply Qle_Rle, Qle_bool_iff, H. Qed.

Lemma less_real a b : less a b = true -> Q2R a < Q2R b.
Proof.
  unfold less. intro H. apply Qlt_Rlt, Qnot_le_lt. intro L.
  apply Qle_bool_iff in L. rewrite L in H. discriminate.
Qed.

Lemma larger_real a b : Q2R a <= Q2R (larger a b) /\ Q2R b <= Q2R (larger a b).
Proof.
  unfold larger. destruct (le a b) eqn:E.
  - apply le_real in E. lra.
  - unfold le in E. split; [lra |]. apply Rlt_le, less_real. unfold less. now rewrite E.
Qed.

#[export] Hint Rewrite plus_real minus_real times_real zero_real one_real minus_one_real natural_real red_real : real.

(** ** Polynomials *)

Fixpoint value (p : poly) (u : R) : R :=
  match p with
  | [] => 0
  | a :: p => Q2R a + u * value p u
  end.

Lemma value_plus p q u : value (p_plus p q) u = value p u + value q u.
Proof.
  revert q. induction p as [| a p IH]; intros [| b q]; simpl; try lra.
  rewrite plus_real, IH. lra.
Qed.

Lemma value_scale a p u : value (p_scale a p) u = Q2R a * value p u.
Proof. unfold p_scale. induction p as [| b p IH]; simpl; [lra |]. rewrite IH, times_real. lra. Qed.

Lemma value_times p q u : value (p_times p q) u = value p u * value q u.
Proof.
  induction p as [| a p IH]; simpl; [lra |].
  rewrite value_plus, value_scale. simpl. rewrite zero_real, IH. lra.
Qed.

Lemma value_power p n u : value (p_power p n) u = value p u ^ n.
Proof.
  induction n as [| n IH]; simpl.
  - rewrite one_real. lra.
  - now rewrite value_times, IH.
Qed.

Lemma value_line a b u : value (p_line a b) u = (1 - u) * Q2R a + u * Q2R b.
Proof.
  unfold p_line. destruct (Qeq_bool a b) eqn:E; simpl; rewrite ?minus_real; [| lra].
  apply Qeq_bool_iff, Qeq_eqR in E. rewrite <- E. lra.
Qed.

#[export] Hint Rewrite value_plus value_scale value_times value_power value_line : real.

Lemma value_bernstein b s u : value (p_bernstein b s) u = bernstein b (value s u).
Proof.
  unfold p_bernstein, bernstein. generalize (length b - 1)%nat as n. generalize 0%nat as k.
  induction b as [| c b IH]; intros k n; cbn [p_bernstein_from bernstein_from]; [reflexivity |].
  rewrite value_plus, IH. autorewrite with real. cbn [value]. autorewrite with real.
  replace (1 + u * 0 + -1 * value s u) with (1 - value s u) by lra. lra.
Qed.

(** A polynomial is not larger than the sum of its coefficients. *)
Lemma size_real p u : 0 <= u <= 1 -> Rabs (value p u) <= Q2R (p_size p).
Proof.
  intro U. induction p as [| a p IH]; simpl.
  - rewrite zero_real, Rabs_R0. lra.
  - rewrite plus_real.
    assert (A : Q2R (Qabs.Qabs a) = Rabs (Q2R a)).
    { apply Qabs.Qabs_case; intro H; apply Qle_Rle in H; rewrite zero_real in H.
      - rewrite Rabs_pos_eq; lra.
      - rewrite Q2R_opp, Rabs_left1; lra. }
    rewrite A. eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat_l.
    rewrite Rabs_mult, (Rabs_pos_eq u) by lra. pose proof (Rabs_pos (value p u)). nra.
Qed.

(** ** The Bernstein form *)

(** The sum of [c_k u^k (1 - u)^(n - k)]. *)
Fixpoint form_value (c : list Q) (u : R) : R :=
  match c with
  | [] => 0
  | a :: c => Q2R a * (1 - u) ^ length c + u * form_value c u
  end.

Lemma zip_plus_length p q : length p = length q -> length (zip_plus p q) = length p.
Proof. revert q. induction p as [| a p IH]; intros [| b q] L; simpl in *; auto; discriminate. Qed.

Lemma form_plus p q u :
  length p = length q -> form_value (zip_plus p q) u = form_value p u + form_value q u.
Proof.
  revert q. induction p as [| a p IH]; intros [| b q] L; simpl in *; try discriminate; [lra |].
  injection L as L. rewrite plus_real, zip_plus_length, IH, L by assumption. lra.
Qed.

Lemma form_scale a p u : form_value (map (times a) p) u = Q2R a * form_value p u.
Proof. induction p as [| b p IH]; simpl; [lra |]. rewrite times_real, map_length, IH. lra. Qed.

Lemma form_shift p u : form_value (p ++ [0%Q]) u = (1 - u) * form_value p u.
Proof.
  induction p as [| a p IH]; simpl.
  - rewrite zero_real. lra.
  - rewrite IH, app_length. simpl. rewrite Nat.add_1_r. simpl. lra.
Qed.

Lemma ones_length n : length (ones n) = S n.
Proof.
  induction n as [| n IH]; [reflexivity |]. cbn [ones].
  rewrite zip_plus_length; simpl; [| rewrite app_length; simpl]; lia.
Qed.

Lemma form_ones n u : form_value (ones n) u = 1.
Proof.
  induction n as [| n IH]; [simpl; rewrite one_real; lra |]. cbn [ones].
  rewrite form_plus, form_shift by (simpl; rewrite app_length; simpl; lia).
  simpl. rewrite zero_real, IH. lra.
Qed.

Lemma to_bernstein_length n p : length (to_bernstein n p) = S n.
Proof.
  revert p. induction n as [| n IH]; intro p; [reflexivity |]. cbn [to_bernstein].
  rewrite zip_plus_length; rewrite map_length, ones_length; [reflexivity |]. simpl. now rewrite IH.
Qed.

(** The Bernstein form of a polynomial has its values. *)
Lemma to_bernstein_value n p u : (length p <= S n)%nat -> form_value (to_bernstein n p) u = value p u.
Proof.
  revert p. induction n as [| n IH]; intros p L.
  - destruct p as [| a [| b p]]; simpl in *; try lia; rewrite ?zero_real; lra.
  - cbn [to_bernstein].
    rewrite form_plus by (rewrite map_length, ones_length; simpl; rewrite to_bernstein_length; reflexivity).
    rewrite form_scale, form_ones. cbn [form_value]. rewrite zero_real, IH by (destruct p; simpl in *; lia).
    destruct p; simpl; rewrite ?zero_real; lra.
Qed.

Lemma all_le_length p q : all_le p q = true -> length p = length q.
Proof.
  revert q. induction p as [| a p IH]; intros [| b q] H; simpl in *; try discriminate; [reflexivity |].
  apply andb_prop in H as [_ H]. now rewrite (IH q).
Qed.

(** The Bernstein lemma: where coefficients are in order, so are the polynomials from 0 to 1. *)
Lemma bernstein_le p q u : 0 <= u <= 1 -> all_le p q = true -> form_value p u <= form_value q u.
Proof.
  intro U. revert q. induction p as [| a p IH]; intros [| b q] H; simpl in *; try discriminate; [lra |].
  apply andb_prop in H as [A H]. apply le_real in A. pose proof (all_le_length _ _ H) as L.
  specialize (IH q H). rewrite L.
  assert (0 <= (1 - u) ^ length q) by (apply pow_le; lra). nra.
Qed.

Lemma all_less_cons a p b q :
  all_less (a :: p) (b :: q) = true ->
  less a b = true /\ (p = [] /\ q = [] \/ all_less p q = true).
Proof.
  intro H. destruct p as [| a' p], q as [| b' q]; [auto | | |]; apply andb_prop in H as [A H]; auto.
Qed.

Lemma bernstein_less p q u : 0 <= u <= 1 -> all_less p q = true -> form_value p u < form_value q u.
Proof.
  intros U H. enough (G : length p = length q /\ form_value p u < form_value q u) by apply G.
  revert q H. induction p as [| a p IH]; intros [| b q] H; try (destruct p; discriminate); try discriminate.
  apply all_less_cons in H as [A [[P Q] | H]]; apply less_real in A.
  - subst p q. simpl. split; [reflexivity | lra].
  - specialize (IH q H) as [L IH]. simpl. split; [congruence |]. rewrite L.
    destruct (Rle_lt_or_eq_dec 0 u) as [U' | U']; [lra | |].
    + assert (0 <= (1 - u) ^ length q) by (apply pow_le; lra). nra.
    + subst u. replace (1 - 0) with 1 by lra. rewrite pow1. lra.
Qed.

(** What [all_before] tells. *)
Lemma all_before_sound a b p q u :
  all_before a b = true -> In p a -> In q b -> 0 <= u <= 1 -> value p u < value q u.
Proof.
  unfold all_before. intros H P Q U.
  apply andb_prop in H as [H B]. apply andb_prop in H as [D A].
  rewrite forallb_forall in A, B, D.
  set (n := degree (a ++ b)) in *.
  assert (Lp : (length p <= S n)%nat) by (apply Nat.leb_le, D, in_or_app; auto).
  assert (Lq : (length q <= S n)%nat) by (apply Nat.leb_le, D, in_or_app; auto).
  rewrite <- (to_bernstein_value n p u Lp), <- (to_bernstein_value n q u Lq).
  eapply Rle_lt_trans.
  - apply bernstein_le; [exact U |]. apply A, in_map, P.
  - apply bernstein_less; [exact U |]. apply B, Q.
Qed.
