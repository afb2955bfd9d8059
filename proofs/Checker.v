(** The checker: a function on rationals.

    Over a window from [t0] to [t1], time is [t0 + (t1 - t0) u] for [u] from 0 to 1, and everything is a polynomial in
    [u]. A leaf puts the polynomials [d . a] and [d . b] of all vertices into Bernstein form of the same degree and
    compares coefficients. *)

From Proofs Require Export Meaning.
Open Scope Q_scope.

Definition is_zero (a : Q) : bool := match Qnum a with Z0 => true | _ => false end.
Definition is_one (a : Q) : bool := match a with 1 # 1 => true | _ => false end.

(** Sums and products in lowest terms. To reduce a fraction takes longest, so it is left out where nothing changes. *)
Definition plus (a b : Q) : Q := if is_zero a then b else if is_zero b then a else Qred (a + b).
Definition minus (a b : Q) : Q := if is_zero b then a else Qred (a - b).
Definition times (a b : Q) : Q :=
  if is_zero a || is_zero b then 0 else if is_one a then b else if is_one b then a else Qred (a * b).
Definition le (a b : Q) : bool := Qle_bool a b.
Definition less (a b : Q) : bool := negb (Qle_bool b a).

(** ** Polynomials, by the coefficients of 1, u, u^2, .. *)

Definition poly := list Q.

Fixpoint p_plus (p q : poly) : poly :=
  match p, q with
  | [], _ => q
  | _, [] => p
  | a :: p, b :: q => plus a b :: p_plus p q
  end.

Definition p_scale (a : Q) (p : poly) : poly := map (times a) p.

Fixpoint p_times (p q : poly) : poly :=
  match p with
  | [] => []
  | a :: p => p_plus (p_scale a q) (0 :: p_times p q)
  end.

Fixpoint p_power (p : poly) (n : nat) : poly :=
  match n with
  | O => [1]
  | S n => p_times p (p_power p n)
  end.

(** The polynomial that goes straight from [a] to [b]. *)
Definition p_line (a b : Q) : poly := if Qeq_bool a b then [a] else [a; minus b a].

(** The polynomial with the Bernstein coefficients [b], of the polynomial [s]. *)
Fixpoint p_bernstein_from (n k : nat) (b : list Q) (s : poly) : poly :=
  match b with
  | [] => []
  | c :: b =>
      let factor := times (inject_Z (Z.of_nat (binomial n k))) c in
      let basis := p_times (p_power s k) (p_power (p_plus [1] (p_scale (-1) s)) (n - k)) in
      p_plus (p_scale factor basis) (p_bernstein_from n (S k) b s)
  end.

Definition p_bernstein (b : list Q) (s : poly) : poly := p_bernstein_from (length b - 1) 0 b s.

(** ** Bernstein form: the list [c_0 .. c_n] means the sum of [c_k u^k (1 - u)^(n - k)]. *)

Fixpoint zip_plus (p q : list Q) : list Q :=
  match p, q with
  | a :: p, b :: q => plus a b :: zip_plus p q
  | _, _ => []
  end.

(** The form of degree [n] of the constant 1: the binomial coefficients. *)
Fixpoint ones (n : nat) : list Q :=
  match n with
  | O => [1]
  | S n => zip_plus (0 :: ones n) (ones n ++ [0])
  end.

Fixpoint to_bernstein (n : nat) (p : poly) : list Q :=
  match n with
  | O => [hd 0 p]
  | S m => zip_plus (map (times (hd 0 p)) (ones n)) (0 :: to_bernstein m (tl p))
  end.

(** Whether all coefficients are in order. The lists have the same length. *)
Fixpoint all_le (p q : list Q) : bool :=
  match p, q with
  | [], [] => true
  | a :: p, b :: q => le a b && all_le p q
  | _, _ => false
  end.

Fixpoint all_less (p q : list Q) : bool :=
  match p, q with
  | [a], [b] => less a b
  | a :: p, b :: q => less a b && all_less p q
  | _, _ => false
  end.

(** ** Points that move along polynomials *)

Definition path := vec poly.

Definition v_plus (p q : path) : path := Vec (p_plus (x p) (x q)) (p_plus (y p) (y q)) (p_plus (z p) (z q)).

Definition v_constant (v : vec Q) : path := Vec [x v] [y v] [z v].

Definition v_line (v w : vec Q) : path := Vec (p_line (x v) (x w)) (p_line (y v) (y w)) (p_line (z v) (z w)).

Definition v_dot (p q : path) : poly := p_plus (p_times (x p) (x q)) (p_plus (p_times (y p) (y q)) (p_times (z p) (z q))).

Definition v_turned (rows : vec (vec Q)) (p : path) : path :=
  Vec (v_dot (v_constant (x rows)) p) (v_dot (v_constant (y rows)) p) (v_dot (v_constant (z rows)) p).

Definition q_dot (v w : vec Q) : Q := plus (times (x v) (x w)) (plus (times (y v) (y w)) (times (z v) (z w))).

Definition columns (m : vec (vec Q)) : vec (vec Q) :=
  Vec (Vec (x (x m)) (x (y m)) (x (z m))) (Vec (y (x m)) (y (y m)) (y (z m))) (Vec (z (x m)) (z (y m)) (z (z m))).

(** Whether the columns of a matrix are unit vectors at right angles. *)
Definition keeps_lengths (m : vec (vec Q)) : bool :=
  let '(Vec a b c) := columns m in
  Qeq_bool (q_dot a a) 1 && Qeq_bool (q_dot b b) 1 && Qeq_bool (q_dot c c) 1 &&
  Qeq_bool (q_dot a b) 0 && Qeq_bool (q_dot a c) 0 && Qeq_bool (q_dot b c) 0.

Definition reduced (v : vec Q) : vec Q := Vec (Qred (x v)) (Qred (y v)) (Qred (z v)).

(** The map of a step over a window, in which the time of the move is the polynomial [s]. *)
Definition step_path (s : poly) (one : step) : option (path -> path) :=
  match one with
  | Pose q shift =>
      let '(Vec a b c) := rotation q in
      let rows := Vec (reduced a) (reduced b) (reduced c) in
      if keeps_lengths rows then Some (fun p => v_plus (v_turned rows p) (v_constant shift)) else None
  | Slide b =>
      let way := Vec (p_bernstein (map x b) s) (p_bernstein (map y b) s) (p_bernstein (map z b) s) in
      Some (fun p => v_plus p way)
  end.

Fixpoint steps_paths (s : poly) (some : list step) (paths : list path) : option (list path) :=
  match some with
  | [] => Some paths
  | one :: rest =>
      match steps_paths s rest paths, step_path s one with
      | Some paths, Some go => Some (map go paths)
      | _, _ => None
      end
  end.

(** The move that a window is in, and when it starts. *)
Fixpoint during (start : Q) (some : list move) (t0 t1 : Q) : option (Q * move) :=
  match some with
  | [] => None
  | m :: rest =>
      if less start (until m) then
        if le t1 (until m) then if le start t0 then Some (start, m) else None
        else if le (until m) t0 then during (until m) rest t0 t1 else None
      else None
  end.

(** An upper bound of the distance from the origin, all through the window. *)
Definition p_size (p : poly) : Q := fold_right (fun a size => plus (Qabs.Qabs a) size) 0 p.
Definition v_size (p : path) : Q := plus (p_size (x p)) (plus (p_size (y p)) (p_size (z p))).
Definition larger (a b : Q) : Q := if le a b then b else a.
Definition largest_size (paths : list path) : Q := fold_right (fun p size => larger (v_size p) size) 0 paths.

(** The corners of a piece in the world, and how far its points may be from their hull. *)
Fixpoint carry (frames : list frame) (t0 t1 : Q) (paths : list path) (off : Q) : option (list path * Q) :=
  match frames with
  | [] => Some (paths, off)
  | f :: rest =>
      match during 0 (moves f) t0 t1 with
      | Some (start, m) =>
          let local t := Qred ((t - start) / (until m - start)) in
          match steps_paths (p_line (local t0) (local t1)) (steps m) paths with
          | Some further =>
              if le 0 (off_turn f) then
                let more := plus (off_shift f) (times (off_turn f) (plus (largest_size paths) off)) in
                carry rest t0 t1 further (plus off more)
              else None
          | None => None
          end
      | None => None
      end
  end.

Definition vertex_path (t0 t1 : Q) (v : vertex) : path :=
  let at_time t := Vec (plus (times (minus 1 t) (x (from v))) (times t (x (to v))))
                       (plus (times (minus 1 t) (y (from v))) (times t (y (to v))))
                       (plus (times (minus 1 t) (z (from v))) (times t (z (to v)))) in
  v_line (at_time t0) (at_time t1).

(** ** Leaves *)

(** Parts with their numbers. *)
Definition side := list (nat * part).

(** For each corner of a side the polynomial [d . p + margin], where the margin is [sign * bound] times how far the points
    of the piece may be from their hull. *)
Definition piece_forms (frames : list frame) (t0 t1 : Q) (d : path) (bound : Q) (c : piece) : option (list poly) :=
  match carry frames t0 t1 (map (vertex_path t0 t1) (corners c)) (radius c) with
  | Some (paths, off) => Some (map (fun p => p_plus (v_dot d p) [times bound off]) paths)
  | None => None
  end.

Fixpoint collect {A B : Type} (f : A -> option (list B)) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | a :: l =>
      match f a, collect f l with
      | Some found, Some others => Some (found ++ others)
      | _, _ => None
      end
  end.

Definition side_forms (t0 t1 : Q) (d : path) (bound : Q) (s : side) : option (list poly) :=
  collect (fun one => collect (piece_forms (chain (snd one)) t0 t1 d bound) (pieces (snd one))) s.

(** An upper bound of the square root, nearly always; what uses it looks. *)
Definition root_above (a : Q) : Q :=
  let digits := (2 ^ 60)%Z in
  let '(n # d) := Qred a in
  Qred ((Z.sqrt (n * Z.pos d * digits * digits) + 1)%Z # 1) * (1 # d) * (1 # (Z.to_pos digits)).

Definition zip_larger (p q : list Q) : list Q := map (fun ab => larger (fst ab) (snd ab)) (combine p q).

(** Coefficients that are not below those of any form, if nothing is wrong; what uses them looks. *)
Definition top (forms : list (list Q)) : list Q :=
  match forms with
  | [] => []
  | first :: rest => fold_left zip_larger rest first
  end.

Definition degree (forms : list poly) : nat := fold_left (fun n p => Nat.max n (length p - 1)) forms 0%nat.

(** Whether all polynomials of [a] are below all of [b] for [u] from 0 to 1. *)
Definition all_before (a b : list poly) : bool :=
  let n := degree (a ++ b) in
  let form p := to_bernstein n p in
  let forms := map form a in
  let middle := top forms in
  forallb (fun p => Nat.leb (length p) (S n)) (a ++ b) &&
  forallb (fun p => all_le p middle) forms &&
  forallb (fun q => all_less middle (form q)) b.

Definition separation_of_pair (c : certificate) (i j : nat) : Q :=
  if Nat.ltb i j then separation_of c i j else separation_of c j i.

(** The largest separation of the pairs of two sides. *)
Definition separation_of_sides (c : certificate) (a b : side) : Q :=
  match separations c with
  | [] => separation c
  | _ =>
      fold_right (fun one most =>
        fold_right (fun other most => larger (separation_of_pair c (fst one) (fst other)) most) most b) 0 a
  end.

(** Whether side [a] is before side [b] along a direction that moves straight from [d0] to [d1] through the window. *)
Definition apart_once (c : certificate) (a b : side) (t0 t1 : Q) (d0 d1 : vec Q) : bool :=
  let bound := root_above (larger (q_dot d0 d0) (q_dot d1 d1)) in
  let d := v_line d0 d1 in
  let gap := [times bound (separation_of_sides c a b)] in
  less t0 t1 && le 0 bound && le (q_dot d0 d0) (times bound bound) && le (q_dot d1 d1) (times bound bound) &&
  match side_forms t0 t1 d bound a, side_forms t0 t1 d (- bound) b with
  | Some forms_a, Some forms_b => all_before (map (p_plus gap) forms_a) forms_b
  | _, _ => false
  end.

Definition half (a b : Q) : Q := Qred ((a + b) / 2).
Definition v_half (v w : vec Q) : vec Q := Vec (half (x v) (x w)) (half (y v) (y w)) (half (z v) (z w)).

(** The same. Bernstein coefficients come closer to their polynomial if the window is halved. *)
Fixpoint apart (fuel : nat) (c : certificate) (a b : side) (t0 t1 : Q) (d0 d1 : vec Q) : bool :=
  apart_once c a b t0 t1 d0 d1 ||
  match fuel with
  | O => false
  | S fuel =>
      let t := half t0 t1 in
      let d := v_half d0 d1 in
      apart fuel c a b t0 t d0 d && apart fuel c a b t t1 d d1
  end.

(** ** Trees *)

(** The first [count] parts of a side, or pieces if there is a single part, and the others. *)
Definition split_side (count : nat) (s : side) : side * side :=
  match s with
  | [(i, Part frames all)] => ([(i, Part frames (firstn count all))], [(i, Part frames (skipn count all))])
  | _ => (firstn count s, skipn count s)
  end.

Fixpoint check_tree (c : certificate) (nodes : tree) (a b : side) (t0 t1 : Q) : bool :=
  match nodes with
  | Split_time t before after => check_tree c before a b t0 t && check_tree c after a b t t1
  | Split_a count first rest =>
      let (some, others) := split_side count a in
      check_tree c first some b t0 t1 && check_tree c rest others b t0 t1
  | Split_b count first rest =>
      let (some, others) := split_side count b in
      check_tree c first a some t0 t1 && check_tree c rest a others t0 t1
  | Apart first last => apart 3 c a b t0 t1 first last
  end.

(** ** All pairs *)

Definition is_in (i : nat) (range : nat * nat) : bool := Nat.leb (fst range) i && Nat.ltb i (snd range).

(** The parts of a range. *)
Definition side_of (c : certificate) (range : nat * nat) : side :=
  filter (fun one => is_in (fst one) range) (combine (seq 0 (length (parts c))) (parts c)).

Definition check_proof (c : certificate) (p : proof) : bool :=
  check_tree c (nodes p) (side_of c (range_a p)) (side_of c (range_b p)) 0 (free_until c).

Definition is_unchecked (c : certificate) (i j : nat) : bool := existsb (fun p => same_pair p (i, j)) (unchecked c).

(** Whether some proof is about a pair. *)
Definition is_proven (c : certificate) (i j : nat) : bool :=
  existsb (fun p => is_in i (range_a p) && is_in j (range_b p) || is_in j (range_a p) && is_in i (range_b p)) (proofs c).

Definition check (c : certificate) : bool :=
  forallb (check_proof c) (proofs c) &&
  forallb (fun j => forallb (fun i => is_unchecked c i j || is_proven c i j) (seq 0 j)) (seq 0 (length (parts c))).
