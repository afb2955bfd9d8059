//! Chains of rods that fly, fall and push each other aside: the physics of the trains, by position-based dynamics.
//!
//! A rope is a row of points with equal distances between neighbours. In each step every point continues with its
//! velocity. Then, repeatedly, rods are brought back to their length, and balls along the rods are moved out of the
//! ground and out of each other. The displacement of a point gives its new velocity. Balls stand for the real shapes,
//! which collision detection checks. It may stop a step that the balls did not stop, and then the balls of the rods
//! that touched grow for a while.
//!
//! Reference: Müller, Heidelberger, Hennix, Ratcliff 2007, "Position based dynamics".

use glam::{DQuat, DVec3};

/// A row of points and the orientations of the rods between them: rod `k` points from point `k + 1` to point `k`, along
/// its x axis.
#[derive(Debug, Clone)]
pub(crate) struct Rope {
    pub(crate) points: Vec<DVec3>,
    pub(crate) turns: Vec<DQuat>,
    pub(crate) velocities: Vec<DVec3>,
    length: f64,
    /// The radius of the balls along each rod, and the radius to which it returns.
    radii: Vec<f64>,
    radius: f64,
}

/// The surroundings of the ropes.
pub(crate) struct World<'a> {
    pub(crate) gravity: DVec3,
    /// The displacement that moves a ball of a given radius out of the ground.
    pub(crate) ground: &'a dyn Fn(DVec3, f64) -> DVec3,
}

/// The places of the balls along a rod.
const BALLS: [f64; 3] = [0.15, 0.5, 0.85];

/// The number of rounds over all constraints in a step.
const ROUNDS: usize = 12;

impl Rope {
    /// Creates a rope of `rods` rods behind `head`; `behind(k)` is the direction of rod `k` from its front to its rear.
    pub(crate) fn new(
        head: DVec3,
        rods: usize,
        [length, radius]: [f64; 2],
        velocity: DVec3,
        behind: impl Fn(usize) -> DVec3,
    ) -> Rope {
        let mut points = vec![head];
        let mut turns: Vec<DQuat> = Vec::new();
        for k in 0..rods {
            let direction = behind(k).normalize();
            points.push(points[k] + direction * length);
            let before = turns.last().copied().unwrap_or(DQuat::IDENTITY);
            turns.push(carried(before, -direction));
        }
        let velocities = vec![velocity; points.len()];
        Rope { points, turns, velocities, length, radii: vec![radius; rods], radius }
    }

    /// Returns the rope with these turns, behind `head`.
    pub(crate) fn straightened(&self, head: DVec3, turns: Vec<DQuat>) -> Rope {
        let mut points = vec![head];
        for (k, turn) in turns.iter().enumerate() {
            points.push(points[k] + *turn * DVec3::NEG_X * self.length);
        }
        Rope { points, turns, ..self.clone() }
    }

    /// Enlarges the balls of a rod that touched something although the balls did not.
    pub(crate) fn keep_off(&mut self, rod: usize) {
        self.radii[rod] = (self.radii[rod] + 0.03).min(2.0 * self.radius);
    }

    fn ball(&self, rod: usize, k: usize) -> DVec3 {
        self.points[rod].lerp(self.points[rod + 1], BALLS[k])
    }

    fn push(&mut self, rod: usize, k: usize, by: DVec3) {
        // Moving the ends by these weights moves the ball by `by`.
        let (a, b) = (1.0 - BALLS[k], BALLS[k]);
        let scale = 1.0 / (a * a + b * b);
        self.points[rod] += by * (a * scale);
        self.points[rod + 1] += by * (b * scale);
    }

    fn restore_lengths(&mut self) {
        for k in 0..self.points.len() - 1 {
            let rod = self.points[k + 1] - self.points[k];
            let too_long = rod.length() - self.length;
            let by = rod.normalize_or(DVec3::NEG_X) * (0.5 * too_long);
            self.points[k] += by;
            self.points[k + 1] -= by;
        }
    }
}

/// Returns a turn carried on, without rolling, until its x axis is `direction`.
fn carried(turn: DQuat, direction: DVec3) -> DQuat {
    (DQuat::from_rotation_arc(turn * DVec3::X, direction) * turn).normalize()
}

/// Returns the ropes after a step of time without the check, with their velocities.
pub(crate) fn fly(ropes: &[Rope], world: &World<'_>, dt: f64) -> Vec<Rope> {
    let mut next = ropes.to_vec();
    for rope in &mut next {
        for (point, velocity) in rope.points.iter_mut().zip(&rope.velocities) {
            *point += (*velocity + world.gravity * dt) * dt;
        }
    }
    for _ in 0..ROUNDS {
        next.iter_mut().for_each(Rope::restore_lengths);
        push_apart(&mut next);
        for rope in &mut next {
            for rod in 0..rope.turns.len() {
                for k in 0..BALLS.len() {
                    let by = (world.ground)(rope.ball(rod, k), rope.radii[rod]);
                    if by != DVec3::ZERO {
                        rope.push(rod, k, by);
                    }
                }
            }
        }
    }
    for (rope, before) in next.iter_mut().zip(ropes) {
        let turns = (0..rope.turns.len())
            .map(|k| carried(before.turns[k], (rope.points[k] - rope.points[k + 1]).normalize_or(DVec3::X)))
            .collect();
        for radius in &mut rope.radii {
            *radius += 0.02 * (rope.radius - *radius);
        }
        let head = rope.points[0];
        let velocities =
            rope.points.iter().zip(&before.points).map(|(now, then)| (*now - *then) / dt * 0.995).collect();
        *rope = Rope { velocities, ..rope.straightened(head, turns) };
    }
    next
}

fn push_apart(ropes: &mut [Rope]) {
    let balls: Vec<(usize, usize, usize)> = (0..ropes.len())
        .flat_map(|r| (0..ropes[r].turns.len()).flat_map(move |k| (0..BALLS.len()).map(move |b| (r, k, b))))
        .collect();
    for (i, &(ra, ka, ba)) in balls.iter().enumerate() {
        for &(rb, kb, bb) in &balls[..i] {
            if ra == rb && ka.abs_diff(kb) < 2 {
                continue;
            }
            let between = ropes[rb].ball(kb, bb) - ropes[ra].ball(ka, ba);
            let lacking = ropes[ra].radii[ka] + ropes[rb].radii[kb] - between.length();
            if lacking > 0.0 {
                let by = between.normalize_or(DVec3::Z) * (0.5 * lacking);
                ropes[ra].push(ka, ba, -by);
                ropes[rb].push(kb, bb, by);
            }
        }
    }
}
