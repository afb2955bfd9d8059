(** The checker accepts only what is true. *)

From Proofs Require Import Checker Polynomials Points.
From Coq Require Import Lra Lia Psatz.
Open Scope R_scope.

(** ** Paths *)

(** Where a path is. *)
Definition place (u : R) (p : path) : point := Vec (value (x p) u) (value (y p) u) (value (z p) u).

Lemma place_plus u p q : place u (v_plus p q) = add (place u p) (place u q).
Proof. apply vec_eq; simpl; apply value_plus. Qed.

Lemma place_constant u v : place u (v_constant v) = real v.
Proof. by_coordinates. Qed.

Lemma place_line u v w : place u (v_line v w) = add (scale (1 - u) (real v)) (scale u (real w)).
Proof. apply vec_eq; simpl; apply value_line. Qed.

Lemma value_dot u p q : value (v_dot p q) u = dot (place u p) (place u q).
Proof. unfold v_dot, dot. autorewrite with real. simpl. lra. Qed.

Lemma place_turned u rows p : place u (v_turned rows p) = turned rows (place u p).
Proof. unfold v_turned, turned. apply vec_eq; simpl; rewrite value_dot, place_constant; reflexivity. Qed.

(** The time of a window. *)
Definition time (t0 t1 : Q) (u : R) : R := (1 - u) * Q2R t0 + u * Q2R t1.

Lemma place_vertex t0 t1 u v : place u (vertex_path t0 t1 v) = vertex_at (time t0 t1 u) v.
Proof.
  unfold vertex_path. rewrite place_line. unfold vertex_at, time, real, add, scale.
  apply vec_eq; simpl; autorewrite with real; ring.
Qed.

Lemma place_norm u p : 0 <= u <= 1 -> norm (place u p) <= Q2R (v_size p).
Proof.
  intro U. eapply Rle_trans; [apply norm_le_sum |]. unfold v_size. autorewrite with real. simpl.
  pose proof (size_real (x p) u U). pose proof (size_real (y p) u U). pose proof (size_real (z p) u U). lra.
Qed.

Lemma largest_size_real u paths p :
  0 <= u <= 1 -> In p paths -> norm (place u p) <= Q2R (largest_size paths).
Proof.
  intros U. induction paths as [| q paths IH]; intros I; [destruct I |].
  cbn [largest_size fold_right]. pose proof (larger_real (v_size q) (largest_size paths)) as [A B].
  fold (largest_size paths). destruct I as [-> | I].
  - pose proof (place_norm u p U). lra.
  - specialize (IH I). lra.
Qed.

(** ** Steps *)

Lemma q_dot_real v w : Q2R (q_dot v w) = dot (real v) (real w).
Proof. unfold q_dot, dot. autorewrite with real. simpl. lra. Qed.

Lemma equal_real a b : Qeq_bool a b = true -> Q2R a = Q2R b.
Proof. intro H. apply Qeq_eqR, Qeq_bool_iff, H. Qed.

Lemma keeps_lengths_sound m p : keeps_lengths m = true -> dot (turned m p) (turned m p) = dot p p.
Proof.
  destruct m as [[a b c] [d e f] [g h i]]. unfold keeps_lengths. cbn [columns x y z].
  rewrite !andb_true_iff. intros (((((A & B) & C) & D) & E) & F).
  apply equal_real in A, B, C, D, E, F. rewrite q_dot_real in *.
  rewrite ?zero_real, ?one_real in *. unfold turned, real, dot in *. cbn [x y z] in *.
  destruct p as [u v w]. cbn [x y z].
  transitivity (u * u * (Q2R a * Q2R a + Q2R d * Q2R d + Q2R g * Q2R g)
    + v * v * (Q2R b * Q2R b + Q2R e * Q2R e + Q2R h * Q2R h)
    + w * w * (Q2R c * Q2R c + Q2R f * Q2R f + Q2R i * Q2R i)
    + 2 * u * v * (Q2R a * Q2R b + Q2R d * Q2R e + Q2R g * Q2R h)
    + 2 * u * w * (Q2R a * Q2R c + Q2R d * Q2R f + Q2R g * Q2R i)
    + 2 * v * w * (Q2R b * Q2R c + Q2R e * Q2R f + Q2R h * Q2R i)); [ring |].
  rewrite A, B, C, D, E, F. ring.
Qed.

Lemma real_reduced v : real (reduced v) = real v.
Proof. apply vec_eq; simpl; apply red_real. Qed.

(** A map of space that keeps distances and convex combinations. *)
Definition rigid (f : point -> point) : Prop :=
  affine f /\ forall p q, distance (f p) (f q) = distance p q.

Lemma rigid_after f g : rigid f -> rigid g -> rigid (fun p => f (g p)).
Proof. intros [F D] [G E]. split; [now apply affine_after |]. intros. now rewrite D, E. Qed.

Lemma rigid_shift shift : rigid (fun p => add p shift).
Proof.
  split; [apply affine_shift |]. intros. unfold distance. f_equal. by_coordinates.
Qed.

Lemma rigid_turned rows : keeps_lengths rows = true -> rigid (turned rows).
Proof.
  intro H. split; [apply affine_turned |]. intros. unfold distance, norm. f_equal.
  replace (sub (turned rows q) (turned rows p)) with (turned rows (sub q p))
    by (unfold turned, dot, sub; by_coordinates).
  now apply keeps_lengths_sound.
Qed.

Lemma rigid_same f g : (forall p, f p = g p) -> rigid f -> rigid g.
Proof.
  intros E [A D]. split.
  - intros w points L S. rewrite <- E, A by assumption. f_equal. now apply map_ext.
  - intros. now rewrite <- !E.
Qed.

Lemma step_path_sound s one go u :
  step_path s one = Some go ->
  rigid (step_map (value s u) one) /\ forall p, place u (go p) = step_map (value s u) one (place u p).
Proof.
  destruct one as [q shift | b]; cbn [step_path].
  - destruct (rotation q) as [a b c] eqn:Rot.
    destruct (keeps_lengths _) eqn:K; [| discriminate]. intro H. injection H as <-.
    assert (T : forall p, turned (Vec (reduced a) (reduced b) (reduced c)) p = turned (rotation q) p).
    { intro p. rewrite Rot. unfold turned. cbn [x y z]. now rewrite !real_reduced. }
    split.
    + eapply rigid_same; [| exact (rigid_after _ _ (rigid_shift (real shift)) (rigid_turned _ K))].
      intro p. cbn [step_map]. now rewrite T.
    + intro p. rewrite place_plus, place_turned, place_constant, T. reflexivity.
  - intro H. injection H as <-. split; [apply rigid_shift |].
    intro p. rewrite place_plus. cbn [step_map]. f_equal.
    unfold place. cbn [x y z]. now rewrite !value_bernstein.
Qed.

Lemma steps_paths_sound s some paths further u :
  steps_paths s some paths = Some further ->
  rigid (fun p => fold_right (step_map (value s u)) p some) /\
  map (place u) further = map (fun p => fold_right (step_map (value s u)) p some) (map (place u) paths).
Proof.
  revert further. induction some as [| one rest IH]; intros further; cbn [steps_paths fold_right].
  - intro H. injection H as <-. split; [| now rewrite map_id].
    split; [| reflexivity]. intros w points _ _. now rewrite map_id.
  - destruct (steps_paths s rest paths) as [inner |]; [| discriminate].
    destruct (step_path s one) as [go |] eqn:G; [| discriminate]. intro H. injection H as <-.
    specialize (IH inner eq_refl) as [Rest E].
    destruct (step_path_sound s one go u G) as [Own P].
    split; [exact (rigid_after _ _ Own Rest) |].
    rewrite map_map. erewrite map_ext; [| exact P]. rewrite <- map_map, E, map_map. reflexivity.
Qed.

(** ** Frames *)

(** The times of a window about which a proof speaks: its start belongs to the window before, if there is one. *)
Definition within (t0 t1 : Q) (t : R) : Prop := Q2R t0 <= t <= Q2R t1 /\ (Q2R t0 < t \/ t <= 0).

Lemma during_sound start some t0 t1 t from m :
  during start some t0 t1 = Some (from, m) ->
  Q2R t0 <= t <= Q2R t1 -> Q2R t0 < t \/ t <= Q2R start ->
  Q2R from < Q2R (until m) /\
  forall p, map_at start some t p = move_map m ((t - Q2R from) / (Q2R (until m) - Q2R from)) p.
Proof.
  revert start. induction some as [| first rest IH]; intros start; cbn [during map_at]; [discriminate |].
  destruct (less start (until first)) eqn:S; [| discriminate]. apply less_real in S.
  destruct (le t1 (until first)) eqn:E.
  - destruct (le start t0); [| discriminate]. intros H T _. injection H as <- <-.
    apply le_real in E. split; [exact S |]. intro p.
    destruct (Rle_dec t (Q2R (until first))); [reflexivity | lra].
  - destruct (le (until first) t0) eqn:F; [| discriminate]. apply le_real in F. intros H T B.
    assert (Q2R t0 < t) by lra.
    destruct (IH _ H T (or_introl H0)) as [G P]. split; [exact G |]. intro p.
    destruct (Rle_dec t (Q2R (until first))); [lra | apply P].
Qed.

Lemma quotient_real a b c : Q2R c < Q2R b -> Q2R (Qred ((a - c) / (b - c))) = (Q2R a - Q2R c) / (Q2R b - Q2R c).
Proof.
  intro L. rewrite red_real. unfold Qdiv. rewrite Q2R_mult, Q2R_inv, !Q2R_minus; [reflexivity |].
  intro Z. apply Qeq_eqR in Z. rewrite Q2R_minus, zero_real in Z. lra.
Qed.

(** What [carry] tells of a point near the hull of some paths. *)
Lemma carry_sound frames t0 t1 paths off further more u p w core :
  carry frames t0 t1 paths off = Some (further, more) ->
  0 <= u <= 1 -> within t0 t1 (time t0 t1 u) ->
  hull (map (place u) paths) core -> distance core p <= Q2R off ->
  carried frames (time t0 t1 u) p w ->
  exists core', hull (map (place u) further) core' /\ distance core' w <= Q2R more.
Proof.
  revert paths off p core. induction frames as [| f rest IH]; intros paths off p core; cbn [carry carried].
  - intros H _ _ Core D W. injection H as <- <-. subst w. eauto.
  - destruct (during 0 (moves f) t0 t1) as [[start m] |] eqn:D; [| discriminate].
    destruct (steps_paths _ (steps m) paths) as [next |] eqn:N; [| discriminate].
    destruct (le 0 (off_turn f)) eqn:T; [| discriminate]. apply le_real in T. rewrite zero_real in T.
    intros H U W Core Dist (outer & Outer & Carried).
    destruct W as [Wt Ws].
    assert (Ws' : Q2R t0 < time t0 t1 u \/ time t0 t1 u <= Q2R 0) by (rewrite zero_real; exact Ws).
    destruct (during_sound _ _ _ _ _ _ _ D Wt Ws') as [L M].
    destruct (steps_paths_sound _ _ _ _ u N) as [[Aff Iso] E].
    set (s := value _ u) in Aff, Iso, E.
    assert (S : s = (time t0 t1 u - Q2R start) / (Q2R (until m) - Q2R start)).
    { unfold s. rewrite value_line, !quotient_real by exact L. unfold time. field. lra. }
    rewrite <- S in M. set (g := fun p => fold_right (step_map s) p (steps m)) in *.
    assert (G : forall p, map_at 0 (moves f) (time t0 t1 u) p = g p) by (intro; apply M).
    rewrite G in Outer.
    apply (IH next _ outer (g core)) in H; auto; [split; auto | rewrite E; now apply hull_map |].
    autorewrite with real.
    assert (Size : norm core <= Q2R (largest_size paths)).
    { eapply hull_norm; [exact Core |]. intros corner I. apply in_map_iff in I as (q & <- & I).
      now apply largest_size_real. }
    pose proof (norm_by_distance p core) as Np.
    pose proof (distance_triangle (g core) (g p) outer) as Tri. rewrite (Iso core p : distance (g core) (g p) = distance core p) in Tri.
    assert (Q2R (off_turn f) * norm p <= Q2R (off_turn f) * (Q2R (largest_size paths) + Q2R off)).
    { apply Rmult_le_compat_l; lra. }
    lra.
Qed.

(** ** Leaves *)

Definition side_point (s : side) (t : R) (p : point) : Prop := exists one, In one s /\ point_of (snd one) t p.

Lemma collect_in {A B} (f : A -> option (list B)) l found a :
  collect f l = Some found -> In a l -> exists own, f a = Some own /\ incl own found.
Proof.
  revert found. induction l as [| b l IH]; intros found H I; [destruct I |].
  cbn [collect] in H. destruct (f b) as [own |] eqn:F; [| discriminate].
  destruct (collect f l) as [others |]; [| discriminate]. injection H as <-.
  destruct I as [-> | I].
  - exists own. split; [assumption |]. apply incl_appl, incl_refl.
  - destruct (IH others eq_refl I) as (mine & M & Inc). exists mine. split; [assumption |]. now apply incl_appr.
Qed.

(** Each point of a side is near the hull of paths, whose forms are known. *)
Lemma side_forms_sound t0 t1 d bound s forms u p :
  side_forms t0 t1 d bound s = Some forms ->
  0 <= u <= 1 -> within t0 t1 (time t0 t1 u) -> side_point s (time t0 t1 u) p ->
  exists corners core off,
    hull corners core /\ distance core p <= off /\
    forall corner, In corner corners ->
      exists form, In form forms /\ value form u = dot (place u d) corner + Q2R bound * off.
Proof.
  intros H U W (one & I & c & q & C & (core & Core & Dist) & Carried).
  destruct (collect_in _ _ _ _ H I) as (own & Own & Inc).
  destruct (collect_in _ _ _ _ Own C) as (mine & Mine & Inc').
  unfold piece_forms in Mine.
  destruct (carry _ t0 t1 _ (radius c)) as [[further more] |] eqn:E; [| discriminate]. injection Mine as <-.
  assert (V : map (vertex_at (time t0 t1 u)) (corners c) = map (place u) (map (vertex_path t0 t1) (corners c))).
  { rewrite map_map. apply map_ext. intro v. now rewrite place_vertex. }
  rewrite V in Core.
  destruct (carry_sound _ _ _ _ _ _ _ _ _ _ _ E U W Core Dist Carried) as (core' & Core' & Dist').
  exists (map (place u) further), core', (Q2R more). repeat split; auto.
  intros corner In'. apply in_map_iff in In' as (path & <- & In').
  exists (p_plus (v_dot d path) [times bound more]). split.
  - apply Inc, Inc'. now apply (in_map (fun p => p_plus (v_dot d p) [times bound more])).
  - autorewrite with real. rewrite value_dot. cbn [value]. autorewrite with real. lra.
Qed.

Lemma fold_larger_base (s : side) (f : nat * part -> Q) start :
  Q2R start <= Q2R (fold_right (fun one most => larger (f one) most) start s).
Proof.
  induction s as [| one s IH]; simpl; [lra |].
  pose proof (larger_real (f one) (fold_right (fun one most => larger (f one) most) start s)). lra.
Qed.

Lemma fold_larger_in (s : side) (f : nat * part -> Q) start one :
  In one s -> Q2R (f one) <= Q2R (fold_right (fun one most => larger (f one) most) start s).
Proof.
  induction s as [| two s IH]; intros I; [destruct I |]. simpl.
  pose proof (larger_real (f two) (fold_right (fun one most => larger (f one) most) start s)).
  destruct I as [-> | I]; [lra |]. specialize (IH I). lra.
Qed.

Lemma separation_of_sides_sound c a b one other :
  In one a -> In other b ->
  Q2R (separation_of_pair c (fst one) (fst other)) <= Q2R (separation_of_sides c a b).
Proof.
  intros A B. unfold separation_of_sides. destruct (separations c) eqn:E.
  - unfold separation_of_pair, separation_of. rewrite E. simpl. destruct (Nat.ltb _ _); lra.
  - clear E. induction a as [| two a IH]; [destruct A |]. cbn [fold_right].
    set (rest := fold_right _ 0%Q a) in *. destruct A as [-> | A].
    + apply (fold_larger_in b (fun other => separation_of_pair c (fst one) (fst other)) rest other B).
    + specialize (IH A).
      pose proof (fold_larger_base b (fun other => separation_of_pair c (fst two) (fst other)) rest). lra.
Qed.

(** A direction between two of a bounded length is as bounded. *)
Lemma line_norm d0 d1 bound u :
  0 <= u <= 1 -> 0 <= bound -> dot d0 d0 <= bound * bound -> dot d1 d1 <= bound * bound ->
  norm (add (scale (1 - u) d0) (scale u d1)) <= bound.
Proof.
  intros U B H0 H1. eapply Rle_trans; [apply triangle |]. rewrite !norm_scale by lra.
  assert (norm d0 <= bound) by (apply le_of_squares; [| rewrite norm_square]; assumption).
  assert (norm d1 <= bound) by (apply le_of_squares; [| rewrite norm_square]; assumption).
  nra.
Qed.

(** The points of two sides are apart at a time. *)
Definition sides_apart (c : certificate) (a b : side) (t : R) : Prop :=
  forall one other p q,
    In one a -> In other b -> point_of (snd one) t p -> point_of (snd other) t q ->
    distance p q > Q2R (separation_of_pair c (fst one) (fst other)).

Lemma time_onto t0 t1 t :
  Q2R t0 < Q2R t1 -> Q2R t0 <= t <= Q2R t1 -> exists u, 0 <= u <= 1 /\ t = time t0 t1 u.
Proof.
  intros L T. exists ((t - Q2R t0) / (Q2R t1 - Q2R t0)). split.
  - split.
    + apply Rmult_le_pos; [lra |]. apply Rlt_le, Rinv_0_lt_compat. lra.
    + apply Rmult_le_reg_r with (Q2R t1 - Q2R t0); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - unfold time. field. lra.
Qed.

Lemma apart_once_sound c a b t0 t1 d0 d1 t :
  apart_once c a b t0 t1 d0 d1 = true -> within t0 t1 t -> sides_apart c a b t.
Proof.
  unfold apart_once. set (bound := root_above _). set (d := v_line d0 d1).
  rewrite !andb_true_iff. intros ((((L & B0) & B1) & B2) & H) W.
  apply less_real in L. apply le_real in B0, B1, B2.
  rewrite ?zero_real, ?times_real, ?q_dot_real in *.
  destruct (side_forms t0 t1 d bound a) as [forms_a |] eqn:A; [| discriminate].
  destruct (side_forms t0 t1 d (- bound) b) as [forms_b |] eqn:B; [| discriminate].
  destruct (time_onto t0 t1 t L (proj1 W)) as (u & U & T). subst t.
  intros one other p q I J P Q.
  destruct (side_forms_sound _ _ _ _ _ _ u p A U W) as (corners & core & off & Core & Dist & Forms).
  { exists one. auto. }
  destruct (side_forms_sound _ _ _ _ _ _ u q B U W) as (corners' & core' & off' & Core' & Dist' & Forms').
  { exists other. auto. }
  pose proof (separation_of_sides_sound c a b one other I J) as Sep.
  set (s := separation_of_sides c a b) in *.
  set (e := place u d) in *.
  assert (N : norm e <= Q2R bound).
  { unfold e, d. rewrite place_line. now apply line_norm. }
  (* Each corner of the second side is beyond each one of the first, so the cores are. *)
  assert (Between : dot e core + Q2R bound * off + Q2R bound * Q2R s < dot e core' - Q2R bound * off').
  { apply Rplus_lt_reg_r with (Q2R bound * off').
    replace (dot e core' - Q2R bound * off' + Q2R bound * off') with (dot e core') by ring.
    apply (hull_greater _ _ _ _ Core'). intros corner' C'.
    enough (dot e core < dot e corner' - Q2R bound * off' - Q2R bound * off - Q2R bound * Q2R s) by lra.
    apply (hull_less _ _ _ _ Core). intros corner C.
    destruct (Forms corner C) as (form & F & V). destruct (Forms' corner' C') as (form' & F' & V').
    rewrite Q2R_opp in V'.
    pose proof (all_before_sound _ _ _ _ u H (in_map (p_plus [times bound s]) _ _ F) F' U) as Less.
    autorewrite with real in Less. cbn [value] in Less. autorewrite with real in Less. lra. }
  assert (Bp : dot e p <= dot e core + Q2R bound * off) by (apply dot_of_close; assumption).
  assert (Bq : dot e core' <= dot e q + Q2R bound * off').
  { apply dot_of_close; [assumption |]. now rewrite distance_symmetric. }
  apply Rlt_gt. destruct (Rlt_or_le (Q2R (separation_of_pair c (fst one) (fst other))) (distance p q)) as [Y | No];
    [exact Y | exfalso].
  assert (dot e q <= dot e p + Q2R bound * Q2R s) by (apply dot_of_close; [assumption | lra]).
  lra.
Qed.

Lemma apart_sound fuel c a b t0 t1 d0 d1 t :
  apart fuel c a b t0 t1 d0 d1 = true -> within t0 t1 t -> sides_apart c a b t.
Proof.
  revert t0 t1 d0 d1. induction fuel as [| fuel IH]; intros t0 t1 d0 d1 H W; cbn [apart] in H;
    apply orb_prop in H as [H | H]; try discriminate; try (eapply apart_once_sound; eassumption).
  apply andb_prop in H as [First Second]. destruct W as [T S].
  destruct (Rle_or_lt t (Q2R (half t0 t1))) as [Before | After].
  - apply (IH _ _ _ _ First). split; [lra | assumption].
  - apply (IH _ _ _ _ Second). split; [lra | now left].
Qed.

(** ** Trees *)

Lemma firstn_or_skipn {A} n (l : list A) a : In a l -> In a (firstn n l) \/ In a (skipn n l).
Proof. intro I. rewrite <- (firstn_skipn n l) in I. now apply in_app_or. Qed.

(** A point of a side is one of a half, of a part with the same number. *)
Lemma split_side_sound count s some others one t p :
  split_side count s = (some, others) -> In one s -> point_of (snd one) t p ->
  exists same, fst same = fst one /\ point_of (snd same) t p /\ (In same some \/ In same others).
Proof.
  intros H I P.
  assert (Plain : (firstn count s, skipn count s) = (some, others) ->
    exists same, fst same = fst one /\ point_of (snd same) t p /\ (In same some \/ In same others)).
  { intro E. injection E as <- <-. exists one. repeat split; auto. now apply firstn_or_skipn. }
  destruct s as [| [i [frames all]] [| two s]]; [now apply Plain | | now apply Plain].
  clear Plain. injection H as <- <-. destruct I as [<- | []].
  destruct P as (c & q & C & Rest). cbn [snd pieces chain] in *.
  destruct (firstn_or_skipn count all c C) as [C' | C'];
    [exists (i, Part frames (firstn count all)) | exists (i, Part frames (skipn count all))];
    cbn [fst snd In]; (split; [reflexivity | split; [exists c, q; auto | auto]]).
Qed.

Lemma check_tree_sound c nodes a b t0 t1 t :
  check_tree c nodes a b t0 t1 = true -> within t0 t1 t -> sides_apart c a b t.
Proof.
  revert a b t0 t1. induction nodes as [m before IH1 after IH2 | n first IH1 rest IH2 | n first IH1 rest IH2 | d0 d1];
    intros a b t0 t1 H W; cbn [check_tree] in H.
  - apply andb_prop in H as [First Second]. destruct W as [T S].
    destruct (Rle_or_lt t (Q2R m)) as [Before | After].
    + apply (IH1 _ _ _ _ First). split; [lra | assumption].
    + apply (IH2 _ _ _ _ Second). split; [lra | now left].
  - destruct (split_side n a) as [some others] eqn:E. apply andb_prop in H as [First Second].
    intros one other p q I J P Q.
    destruct (split_side_sound _ _ _ _ _ _ _ E I P) as (same & <- & P' & [I' | I']).
    + exact (IH1 _ _ _ _ First W _ _ _ _ I' J P' Q).
    + exact (IH2 _ _ _ _ Second W _ _ _ _ I' J P' Q).
  - destruct (split_side n b) as [some others] eqn:E. apply andb_prop in H as [First Second].
    intros one other p q I J P Q.
    destruct (split_side_sound _ _ _ _ _ _ _ E J Q) as (same & <- & Q' & [J' | J']).
    + exact (IH1 _ _ _ _ First W _ _ _ _ I J' P Q').
    + exact (IH2 _ _ _ _ Second W _ _ _ _ I J' P Q').
  - exact (apart_sound _ _ _ _ _ _ _ _ _ H W).
Qed.

(** ** All pairs *)

Lemma side_of_in c range i a :
  nth_error (parts c) i = Some a -> is_in i range = true -> In (i, a) (side_of c range).
Proof.
  intros N R. unfold side_of. apply filter_In. split; [| exact R].
  assert (G : forall l start k, nth_error l k = Some a -> In ((start + k)%nat, a) (combine (seq start (length l)) l)).
  { clear. induction l as [| b l IH]; intros start k H; destruct k; try discriminate; simpl.
    - injection H as ->. left. f_equal. lia.
    - right. replace (start + S k)%nat with (S start + k)%nat by lia. now apply IH. }
  now apply (G (parts c) 0%nat i).
Qed.

Lemma is_unchecked_sound c i j : is_unchecked c i j = true -> In (i, j) (unchecked c).
Proof.
  unfold is_unchecked. intro H. apply existsb_exists in H as ([k l] & I & E).
  unfold same_pair in E. apply andb_prop in E as [E F]. apply Nat.eqb_eq in E, F. simpl in *. now subst.
Qed.

Lemma check_sound c : check c = true -> claim c.
Proof.
  unfold check. intro H. apply andb_prop in H as [Proofs Pairs].
  intros i j a b t p q A B L Checked T P Q.
  rewrite forallb_forall in Proofs, Pairs.
  assert (J : (j < length (parts c))%nat) by (apply nth_error_Some; congruence).
  specialize (Pairs j ltac:(apply in_seq; lia)). rewrite forallb_forall in Pairs.
  specialize (Pairs i ltac:(apply in_seq; lia)).
  apply orb_prop in Pairs as [Un | Proven]; [now apply is_unchecked_sound in Un |].
  unfold is_proven in Proven. apply existsb_exists in Proven as (one & I & Cases).
  specialize (Proofs one I). unfold check_proof in Proofs.
  assert (W : within 0 (free_until c) t).
  { unfold within. rewrite zero_real. split; [assumption |]. destruct (Rle_or_lt t 0); [now right | left; lra]. }
  pose proof (check_tree_sound _ _ _ _ _ _ _ Proofs W) as Apart.
  assert (Own : separation_of_pair c i j = separation_of c i j /\ separation_of_pair c j i = separation_of c i j).
  { unfold separation_of_pair. destruct (Nat.ltb_spec i j), (Nat.ltb_spec j i); try lia. auto. }
  destruct Own as [Own Swapped].
  apply orb_prop in Cases as [Cases | Cases]; apply andb_prop in Cases as [InA InB].
  - rewrite <- Own.
    exact (Apart _ _ _ _ (side_of_in _ _ _ _ A InA) (side_of_in _ _ _ _ B InB) P Q).
  - rewrite <- Swapped, distance_symmetric.
    exact (Apart _ _ _ _ (side_of_in _ _ _ _ B InA) (side_of_in _ _ _ _ A InB) Q P).
Qed.
