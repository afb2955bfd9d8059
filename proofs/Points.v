(** Points, hulls and lengths. *)

From Proofs Require Import Meaning.
From Coq Require Import Lra Lia Psatz.

Lemma vec_eq (v w : point) : x v = x w -> y v = y w -> z v = z w -> v = w.
Proof. destruct v, w. simpl. congruence. Qed.

Ltac by_coordinates := apply vec_eq; simpl; try lra.

Lemma dot_nonneg v : 0 <= dot v v.
Proof. unfold dot. nra. Qed.

Lemma norm_nonneg v : 0 <= norm v.
Proof. apply sqrt_pos. Qed.

Lemma norm_square v : norm v * norm v = dot v v.
Proof. apply sqrt_sqrt, dot_nonneg. Qed.

Lemma cauchy_schwarz_square v w : dot v w * dot v w <= dot v v * dot w w.
Proof.
  unfold dot.
  pose proof (Rle_0_sqr (x v * y w - y v * x w)). pose proof (Rle_0_sqr (x v * z w - z v * x w)).
  pose proof (Rle_0_sqr (y v * z w - z v * y w)). unfold Rsqr in *. lra.
Qed.

Lemma le_of_squares a b : 0 <= b -> a * a <= b * b -> a <= b.
Proof. intros. nra. Qed.

Lemma cauchy_schwarz v w : dot v w <= norm v * norm w.
Proof.
  apply le_of_squares.
  - apply Rmult_le_pos; apply norm_nonneg.
  - replace (norm v * norm w * (norm v * norm w)) with (norm v * norm v * (norm w * norm w)) by ring.
    rewrite !norm_square. apply cauchy_schwarz_square.
Qed.

Lemma triangle v w : norm (add v w) <= norm v + norm w.
Proof.
  apply le_of_squares.
  - pose proof (norm_nonneg v). pose proof (norm_nonneg w). lra.
  - rewrite norm_square. pose proof (norm_square v). pose proof (norm_square w).
    pose proof (cauchy_schwarz v w).
    replace (dot (add v w) (add v w)) with (dot v v + 2 * dot v w + dot w w) by (unfold dot, add; simpl; ring).
    nra.
Qed.

Lemma norm_scale a v : 0 <= a -> norm (scale a v) = a * norm v.
Proof.
  intro A. unfold norm. replace (dot (scale a v) (scale a v)) with (a * a * dot v v) by (unfold dot, scale; simpl; ring).
  rewrite sqrt_mult_alt by nra. rewrite sqrt_square by assumption. reflexivity.
Qed.

Lemma norm_le_sum v : norm v <= Rabs (x v) + Rabs (y v) + Rabs (z v).
Proof.
  pose proof (Rabs_pos (x v)). pose proof (Rabs_pos (y v)). pose proof (Rabs_pos (z v)).
  apply le_of_squares; [lra |]. rewrite norm_square. unfold dot.
  assert (S : forall a, a * a = Rabs a * Rabs a) by (intro a; rewrite <- Rabs_mult, Rabs_pos_eq; nra).
  rewrite (S (x v)), (S (y v)), (S (z v)). nra.
Qed.

Lemma distance_triangle p q r : distance p r <= distance p q + distance q r.
Proof.
  unfold distance. replace (sub r p) with (add (sub q p) (sub r q)) by by_coordinates. apply triangle.
Qed.

Lemma distance_symmetric p q : distance p q = distance q p.
Proof. unfold distance, norm. f_equal. unfold dot, sub. simpl. ring. Qed.

Lemma distance_same p : distance p p = 0.
Proof.
  unfold distance, norm. replace (dot (sub p p) (sub p p)) with 0 by (unfold dot, sub; simpl; ring). apply sqrt_0.
Qed.

Lemma norm_by_distance p q : norm p <= norm q + distance q p.
Proof. unfold distance. replace p with (add q (sub p q)) at 1 by by_coordinates. apply triangle. Qed.

(** What a bound of a direction says of points that are close to each other. *)
Lemma dot_of_close d p q bound off :
  norm d <= bound -> distance p q <= off -> dot d q <= dot d p + bound * off.
Proof.
  intros D C. unfold distance in C.
  replace (dot d q) with (dot d p + dot d (sub q p)) by (unfold dot, sub; simpl; ring).
  pose proof (cauchy_schwarz d (sub q p)). pose proof (norm_nonneg d). pose proof (norm_nonneg (sub q p)).
  assert (norm d * norm (sub q p) <= bound * off) by (apply Rmult_le_compat; assumption). lra.
Qed.

(** ** Hulls *)

Lemma sum_cons a w : sum (a :: w) = a + sum w.
Proof. reflexivity. Qed.

(** An inequality that holds for the corners holds for the hull. *)
Lemma hull_below (d : point) (bound : R) (points : list point) (p : point) :
  hull points p -> (forall corner, In corner points -> dot d corner <= bound) -> dot d p <= bound.
Proof.
  intros (w & L & N & S & E) H. subst p.
  assert (G : dot d (combination w points) <= sum w * bound).
  { clear S. revert points L H. induction N as [| a w A N IH]; intros [| q points] L H; try discriminate.
    - unfold dot. simpl. lra.
    - injection L as L. cbn [combination]. rewrite sum_cons.
      specialize (IH points L (fun c I => H c (or_intror I))). specialize (H q (or_introl eq_refl)).
      replace (dot d (add (scale a q) (combination w points))) with (a * dot d q + dot d (combination w points))
        by (unfold dot, add, scale; simpl; ring).
      nra. }
  rewrite S in G. lra.
Qed.

(** The same with strict inequalities, since there are finitely many corners. *)
Lemma hull_less d bound points p :
  hull points p -> (forall corner, In corner points -> dot d corner < bound) -> dot d p < bound.
Proof.
  intros H L.
  assert (M : exists most, most < bound /\ forall corner, In corner points -> dot d corner <= most).
  { clear H. induction points as [| q points IH].
    - exists (bound - 1). split; [lra | intros _ []].
    - destruct IH as (most & B & A); [intros; apply L; now right |].
      exists (Rmax (dot d q) most). split.
      + apply Rmax_lub_lt; [apply L; now left | assumption].
      + intros corner [-> | I]; [apply Rmax_l |]. eapply Rle_trans; [now apply A | apply Rmax_r]. }
  destruct M as (most & B & A). pose proof (hull_below d most points p H A). lra.
Qed.

Lemma hull_greater d bound points p :
  hull points p -> (forall corner, In corner points -> bound < dot d corner) -> bound < dot d p.
Proof.
  intros H L.
  assert (N : forall q, dot (scale (-1) d) q = - dot d q) by (intro q; unfold dot, scale; simpl; ring).
  assert (dot (scale (-1) d) p < - bound); [| rewrite N in *; lra].
  apply (hull_less _ _ _ _ H). intros corner I. specialize (L corner I). rewrite N. lra.
Qed.

Lemma hull_norm bound points p :
  hull points p -> (forall corner, In corner points -> norm corner <= bound) -> norm p <= bound.
Proof.
  intros (w & L & N & S & E) H. subst p.
  assert (G : norm (combination w points) <= sum w * bound).
  { clear S. revert points L H. induction N as [| a w A N IH]; intros [| q points] L H; try discriminate.
    - unfold norm, dot. simpl. replace (0 * 0 + 0 * 0 + 0 * 0) with 0 by ring. rewrite sqrt_0. lra.
    - injection L as L. cbn [combination]. rewrite sum_cons.
      specialize (IH points L (fun c I => H c (or_intror I))). specialize (H q (or_introl eq_refl)).
      eapply Rle_trans; [apply triangle |]. rewrite norm_scale by assumption. nra. }
  rewrite S in G. lra.
Qed.

(** Maps that keep convex combinations map hulls into hulls. *)
Definition affine (f : point -> point) : Prop :=
  forall w points, length w = length points -> sum w = 1 ->
    f (combination w points) = combination w (map f points).

Lemma hull_map f points p : affine f -> hull points p -> hull (map f points) (f p).
Proof.
  intros F (w & L & N & S & E). exists w. subst p. rewrite map_length. repeat split; auto.
Qed.

Lemma affine_turned rows : affine (turned rows).
Proof.
  intros w. unfold affine. intros points L _. revert points L.
  induction w as [| a w IH]; intros [| p points] L; try discriminate.
  - unfold turned, dot. by_coordinates.
  - injection L as L. cbn [combination map]. rewrite <- (IH points L). unfold turned, dot. by_coordinates.
Qed.

Lemma affine_shift shift : affine (fun p => add p shift).
Proof.
  intros w points L S.
  assert (G : combination w (map (fun p => add p shift) points) = add (combination w points) (scale (sum w) shift)).
  { clear S. revert points L. induction w as [| a w IH]; intros [| p points] L; try discriminate.
    - by_coordinates.
    - injection L as L. cbn [combination map]. rewrite (IH points L), sum_cons. by_coordinates. }
  rewrite G, S. by_coordinates.
Qed.

Lemma affine_after f g : affine f -> affine g -> affine (fun p => f (g p)).
Proof.
  intros F G w points L S. rewrite G, F by (rewrite ?map_length; auto). now rewrite map_map.
Qed.
