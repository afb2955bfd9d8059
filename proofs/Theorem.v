(** The theorem, and a few facts that show that the definitions of Meaning.v are not empty. *)

From Proofs Require Import Checker Polynomials Points Sound.
From Coq Require Import Lra Lia.
Open Scope R_scope.

(** If the checker accepts a certificate, what it claims is true: for any two parts [i < j] that are not listed as
    unchecked, at any real time [t] from 0 to [free_until], any point of one part is farther from any point of the
    other than the separation of that pair. *)
Theorem accepted_certificates_are_true :
  forall c : certificate, check c = true ->
  forall (i j : nat) (a b : part) (t : R) (p q : point),
    nth_error (parts c) i = Some a -> nth_error (parts c) j = Some b ->
    (i < j)%nat -> ~ In (i, j) (unchecked c) ->
    0 <= t <= Q2R (free_until c) ->
    point_of a t p -> point_of b t q ->
    distance p q > Q2R (separation_of c i j).
Proof. exact check_sound. Qed.

(** For separations that are not negative: no two points coincide. *)
Corollary no_two_points_coincide :
  forall c : certificate, check c = true ->
  forall (i j : nat) (a b : part) (t : R) (p : point),
    nth_error (parts c) i = Some a -> nth_error (parts c) j = Some b ->
    (i < j)%nat -> ~ In (i, j) (unchecked c) -> 0 <= Q2R (separation_of c i j) ->
    0 <= t <= Q2R (free_until c) ->
    ~ (point_of a t p /\ point_of b t p).
Proof.
  intros c C i j a b t p A B L U S T [P Q].
  pose proof (check_sound c C i j a b t p p A B L U T P Q). rewrite distance_same in *. lra.
Qed.

Print Assumptions accepted_certificates_are_true.

(** ** The definitions are not empty *)

Lemma corner_in_hull points p : In p points -> hull points p.
Proof.
  induction points as [| q points IH]; intros I; [destruct I |]. destruct I as [-> | I].
  - exists (1 :: map (fun _ => 0) points).
    assert (Z : sum (map (fun _ => 0) points) = 0 /\ combination (map (fun _ => 0) points) points = Vec 0 0 0 /\
                Forall (fun a => 0 <= a) (map (fun _ : point => 0) points)).
    { clear. induction points as [| q points (S & E & F)]; [repeat split; constructor |].
      cbn [map combination]. rewrite sum_cons, S, E. repeat split; [lra | by_coordinates |].
      constructor; [lra | assumption]. }
    destruct Z as (S & E & F). cbn [combination]. rewrite sum_cons, S, E. repeat split.
    + simpl. now rewrite map_length.
    + constructor; [lra | assumption].
    + lra.
    + by_coordinates.
  - destruct (IH I) as (w & L & N & S & E). exists (0 :: w). cbn [combination]. rewrite sum_cons, S. repeat split.
    + simpl. now rewrite L.
    + constructor; [lra | assumption].
    + lra.
    + rewrite <- E. by_coordinates.
Qed.

(** Where the formulas alone put a point. *)
Definition formula (frames : list frame) (t : R) (p : point) : point :=
  fold_left (fun p f => map_at 0 (moves f) t p) frames p.

(** What is exactly where the formulas put it is a point of the part. *)
Lemma exact_points_are_points a t c core :
  In c (pieces a) -> 0 <= Q2R (radius c) -> hull (map (vertex_at t) (corners c)) core ->
  Forall (fun f => 0 <= Q2R (off_turn f) /\ 0 <= Q2R (off_shift f)) (chain a) ->
  point_of a t (formula (chain a) t core).
Proof.
  intros I R H F. exists c, core. split; [assumption | split].
  - exists core. split; [assumption |]. now rewrite distance_same.
  - unfold formula. generalize core. induction F as [| f rest [Turn Shift] F IH]; intro p; cbn [carried fold_left].
    + reflexivity.
    + exists (map_at 0 (moves f) t p). split; [| apply IH].
      rewrite distance_same. pose proof (norm_nonneg p). nra.
Qed.

Lemma square_zero a b c : 0 = a * a + b * b + c * c -> a = 0 /\ b = 0 /\ c = 0.
Proof.
  intro E. repeat split; apply Rsqr_0_uniq; unfold Rsqr; nra.
Qed.

(** Without errors there are no other points. *)
Lemma exact_frames_carry_exactly frames t p w :
  Forall (fun f => Q2R (off_turn f) = 0 /\ Q2R (off_shift f) = 0) frames ->
  carried frames t p w -> w = formula frames t p.
Proof.
  intro F. revert p. induction F as [| f rest [Turn Shift] F IH]; intros p; cbn [carried]; [trivial |].
  intros (outer & D & C). rewrite Turn, Shift in D. apply IH in C. subst w. unfold formula. cbn [fold_left]. f_equal.
  assert (N : norm (sub outer (map_at 0 (moves f) t p)) = 0).
  { pose proof (norm_nonneg (sub outer (map_at 0 (moves f) t p))). unfold distance in D. lra. }
  pose proof (norm_square (sub outer (map_at 0 (moves f) t p))) as E. rewrite N in E.
  unfold dot, sub in E. cbn [x y z] in E. pose proof (square_zero _ _ _ (eq_trans (eq_sym (Rmult_0_l 0)) E)) as Zero.
  apply vec_eq; lra.
Qed.

(** Two Bernstein coefficients are a straight line. *)
Lemma bernstein_line a b s : bernstein [a; b] s = (1 - s) * Q2R a + s * Q2R b.
Proof. unfold bernstein. simpl. lra. Qed.

(** The matrix of a quaternion keeps lengths, unless all four numbers are zero. *)
Lemma rotation_keeps_lengths q p :
  Q2R (qw q) <> 0 \/ Q2R (qx q) <> 0 \/ Q2R (qy q) <> 0 \/ Q2R (qz q) <> 0 ->
  norm (turned (rotation q) p) = norm p.
Proof.
  destruct q as [w a b c]. cbn [qw qx qy qz]. intro N. unfold norm. f_equal.
  assert (S : Q2R w * Q2R w + Q2R a * Q2R a + Q2R b * Q2R b + Q2R c * Q2R c <> 0).
  { intro Z. pose proof (Rle_0_sqr (Q2R w)). pose proof (Rle_0_sqr (Q2R a)). pose proof (Rle_0_sqr (Q2R b)).
    pose proof (Rle_0_sqr (Q2R c)). unfold Rsqr in *.
    destruct N as [N | [N | [N | N]]]; apply N; apply Rsqr_0_uniq; unfold Rsqr; lra. }
  assert (D : Q2R (2 / (w * w + a * a + b * b + c * c))
              = 2 / (Q2R w * Q2R w + Q2R a * Q2R a + Q2R b * Q2R b + Q2R c * Q2R c)).
  { unfold Qdiv. rewrite Q2R_mult, Q2R_inv, !Q2R_plus, !Q2R_mult.
    - unfold Rdiv. f_equal. unfold Q2R. simpl. lra.
    - intro Z. apply Qeq_eqR in Z. rewrite !Q2R_plus, !Q2R_mult, zero_real in Z. now apply S. }
  unfold turned, rotation, dot, real. cbn [x y z].
  rewrite !Q2R_minus, !Q2R_mult, D, ?Q2R_plus, ?Q2R_minus, !Q2R_mult, one_real. destruct p as [u v r]. cbn [x y z].
  field. exact S.
Qed.

(** ** An example: two squares one above the other, of which one comes closer *)

Definition square (height until_height : Q) : part :=
  let corner a b := Vertex (Vec a b height) (Vec a b until_height) in
  Part [] [Piece [corner 0 0; corner 1 0; corner 1 1; corner 0 1]%Q 0].

Definition squares (until_height : Q) : certificate :=
  Certificate 1 (1 # 3) [square 0 0; square 2 until_height] [] []
    [Proof (0, 1)%nat (1, 2)%nat (Apart (Vec 0 0 1) (Vec 0 0 1))%Q].

Example accepted : check (squares (1 # 2)) = true.
Proof. vm_compute. reflexivity. Qed.

Example too_close : check (squares (1 # 3)) = false.
Proof. vm_compute. reflexivity. Qed.
