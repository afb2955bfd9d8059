(** What a certificate says.

    This file and the theorem in Theorem.v are all that a reader has to believe; the rest is checked by Coq.
    Numbers of the file are rationals ([Q]), points and times are real. *)

From Coq Require Export Reals QArith Qreals List Bool.
Export ListNotations.
Open Scope R_scope.

(** ** Points *)

Record vec (A : Type) := Vec { x : A; y : A; z : A }.
Arguments Vec {A}.
Arguments x {A}.
Arguments y {A}.
Arguments z {A}.

Definition point := vec R.

Definition real (v : vec Q) : point := Vec (Q2R (x v)) (Q2R (y v)) (Q2R (z v)).

Definition add (v w : point) : point := Vec (x v + x w) (y v + y w) (z v + z w).
Definition sub (v w : point) : point := Vec (x v - x w) (y v - y w) (z v - z w).
Definition scale (a : R) (v : point) : point := Vec (a * x v) (a * y v) (a * z v).
Definition dot (v w : point) : R := x v * x w + y v * y w + z v * z w.
Definition norm (v : point) : R := sqrt (dot v v).
Definition distance (p q : point) : R := norm (sub q p).

(** [combination [a; b; ..] [p; q; ..]] is [a p + b q + ..]. *)
Fixpoint combination (weights : list R) (points : list point) : point :=
  match weights, points with
  | a :: weights, p :: points => add (scale a p) (combination weights points)
  | _, _ => Vec 0 0 0
  end.

Definition sum (weights : list R) : R := fold_right Rplus 0 weights.

(** The points of the convex hull of a list of points: their convex combinations. *)
Definition hull (points : list point) (p : point) : Prop :=
  exists weights : list R,
    length weights = length points /\ Forall (fun a => 0 <= a) weights /\ sum weights = 1 /\
    p = combination weights points.

(** ** Shapes *)

(** A vertex moves straight from one place, at the time 0, to another, at the time 1. *)
Record vertex := Vertex { from : vec Q; to : vec Q }.

Definition vertex_at (t : R) (v : vertex) : point := add (scale (1 - t) (real (from v))) (scale t (real (to v))).

(** All points that are not farther than [radius] from the hull of the corners. *)
Record piece := Piece { corners : list vertex; radius : Q }.

Definition in_piece (c : piece) (t : R) (p : point) : Prop :=
  exists core, hull (map (vertex_at t) (corners c)) core /\ distance core p <= Q2R (radius c).

(** ** Motions *)

Fixpoint binomial (n k : nat) : nat :=
  match n, k with
  | _, O => 1
  | O, S _ => 0
  | S n, S k => binomial n k + binomial n (S k)
  end.

(** The polynomial with the Bernstein coefficients [b]: the sum of [binomial n k * b_k * s^k * (1 - s)^(n - k)]. *)
Fixpoint bernstein_from (n k : nat) (b : list Q) (s : R) : R :=
  match b with
  | [] => 0
  | c :: b => INR (binomial n k) * Q2R c * s ^ k * (1 - s) ^ (n - k) + bernstein_from n (S k) b s
  end.

Definition bernstein (b : list Q) (s : R) : R := bernstein_from (length b - 1) 0 b s.

Record quaternion := Quaternion { qw : Q; qx : Q; qy : Q; qz : Q }.

(** The rows of the matrix of the rotation by a quaternion, scaled to unit length. *)
Definition rotation (q : quaternion) : vec (vec Q) :=
  let '(Quaternion w a b c) := q in
  let s := (2 / (w * w + a * a + b * b + c * c))%Q in
  (Vec (Vec (1 - s * (b * b + c * c)) (s * (a * b - w * c)) (s * (a * c + w * b)))
       (Vec (s * (a * b + w * c)) (1 - s * (a * a + c * c)) (s * (b * c - w * a)))
       (Vec (s * (a * c - w * b)) (s * (b * c + w * a)) (1 - s * (a * a + b * b))))%Q.

Definition turned (rows : vec (vec Q)) (p : point) : point :=
  Vec (dot (real (x rows)) p) (dot (real (y rows)) p) (dot (real (z rows)) p).

(** A rotation and a translation, or a translation that is a polynomial. *)
Inductive step :=
| Pose (q : quaternion) (shift : vec Q)
| Slide (coefficients : list (vec Q)).

Definition step_map (s : R) (one : step) (p : point) : point :=
  match one with
  | Pose q shift => add (turned (rotation q) p) (real shift)
  | Slide b => add p (Vec (bernstein (map x b) s) (bernstein (map y b) s) (bernstein (map z b) s))
  end.

(** A move lasts until its time. Its steps are applied one after the other, the last of the list first. *)
Record move := Move { until : Q; steps : list step }.

Definition move_map (m : move) (s : R) (p : point) : point := fold_right (step_map s) p (steps m).

(** The map of a frame at the time [t], where the first of its moves begins at the time [start]. Each move has a time of
    its own, from 0 to 1. After the last one the frame is where its parent is; the checker accepts nothing that rests on
    that, since it asks that each window of a proof is in a move. *)
Fixpoint map_at (start : Q) (moves : list move) (t : R) (p : point) : point :=
  match moves with
  | [] => p
  | m :: rest =>
      if Rle_dec t (Q2R (until m)) then move_map m ((t - Q2R start) / (Q2R (until m) - Q2R start)) p
      else map_at (until m) rest t p
  end.

(** A frame that moves in another. Its motion may be off from the formula: a point at [p] in the frame is not farther than
    [off_shift + off_turn * |p|] from where the formula puts it. *)
Record frame := Frame { moves : list move; off_turn : Q; off_shift : Q }.

(** [carried chain t p w]: what is at [p] in the first frame of the chain may be at [w] in the world. Each frame moves in
    the next one, and the last one in the world. *)
Fixpoint carried (chain : list frame) (t : R) (p w : point) : Prop :=
  match chain with
  | [] => w = p
  | f :: rest =>
      exists outer,
        distance (map_at 0 (moves f) t p) outer <= Q2R (off_shift f) + Q2R (off_turn f) * norm p /\
        carried rest t outer w
  end.

(** ** Parts *)

(** A shape, which is the union of its pieces, in a frame. *)
Record part := Part { chain : list frame; pieces : list piece }.

(** [w] may be a point of the part at the time [t]. *)
Definition point_of (a : part) (t : R) (w : point) : Prop :=
  exists c p, In c (pieces a) /\ in_piece c t p /\ carried (chain a) t p w.

(** ** Certificates *)

(** A proof. Nothing is believed of it. *)
Inductive tree :=
| Split_time (t : Q) (before after : tree)
| Split_a (count : nat) (first rest : tree)
| Split_b (count : nat) (first rest : tree)
| Apart (first last : vec Q).

(** A tree for the parts from [fst a] up to, not including, [snd a], against those of [b]. *)
Record proof := Proof { range_a : nat * nat; range_b : nat * nat; nodes : tree }.

Record certificate := Certificate {
  free_until : Q;
  separation : Q;
  parts : list part;
  (** Pairs that keep another separation, the lower part first. *)
  separations : list ((nat * nat) * Q);
  (** Pairs about which nothing is claimed, the lower part first. *)
  unchecked : list (nat * nat);
  proofs : list proof
}.

Definition same_pair (p q : nat * nat) : bool := Nat.eqb (fst p) (fst q) && Nat.eqb (snd p) (snd q).

(** The separation of the parts [i < j]: their own, or that of all. *)
Definition separation_of (c : certificate) (i j : nat) : Q :=
  match find (fun own => same_pair (fst own) (i, j)) (separations c) with
  | Some (_, own) => own
  | None => separation c
  end.

(** Everything that a certificate claims. *)
Definition claim (c : certificate) : Prop :=
  forall (i j : nat) (a b : part) (t : R) (p q : point),
    nth_error (parts c) i = Some a -> nth_error (parts c) j = Some b ->
    (i < j)%nat -> ~ In (i, j) (unchecked c) ->
    0 <= t <= Q2R (free_until c) ->
    point_of a t p -> point_of b t q ->
    distance p q > Q2R (separation_of c i j).
