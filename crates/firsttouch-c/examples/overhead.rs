//! Measures the cost of a call through C over the same call in Rust: checks of the arguments, `catch_unwind`, and the
//! answer as plain data.
//!
//! `cargo run --release -p firsttouch-c --example overhead`
//!
//! The exported functions are called through pointers that the compiler cannot look behind, as a C program calls them.
//! Rust and C take turns in short rounds. The fastest round of each counts, because other programs on the machine can
//! only make a round slower. The sums of the answers are compared, which shows that both did the same work.

use std::ffi::c_char;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::Instant;

use firsttouch::articulated::Checker;
use firsttouch::elementary::{Verdict, VertexFace, vertex_face};
use firsttouch::ellipsoid::{Posed, Relation};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Ellipsoid, Sphere};
use firsttouch::{Body, Limits, Options, first_touch};
use firsttouch_c::border::ft_status;
use firsttouch_c::checker::{
    ft_checker, ft_checker_add_obstacle, ft_checker_check_motion, ft_checker_check_state, ft_checker_free,
    ft_checker_new,
};
use firsttouch_c::elementary::{ft_contact, ft_four_points, ft_vertex_face};
use firsttouch_c::ellipsoid::{ft_ellipsoid, ft_ellipsoid_relation};
use firsttouch_c::motion::{ft_motion, ft_motion_fixed, ft_motion_free, ft_motion_linear};
use firsttouch_c::robot::{ft_robot, ft_robot_free, ft_robot_from_urdf_text};
use firsttouch_c::scene::ft_first_touch;
use firsttouch_c::shape::{ft_shape, ft_shape_box, ft_shape_free, ft_shape_sphere};
use firsttouch_c::values::{ft_answer, ft_options, ft_pose};
use glam::{DQuat, DVec3};

const ROUNDS: usize = 301;

/// A result that a call writes.
type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;
type VertexFaceCall =
    extern "C" fn(Option<&ft_four_points>, Option<&ft_options>, Out<'_, ft_contact>) -> ft_status;
type RelationCall = extern "C" fn(Option<&ft_ellipsoid>, Option<&ft_ellipsoid>, Out<'_, u32>) -> ft_status;
type FirstTouchCall = extern "C" fn(
    Option<&ft_shape>,
    Option<&ft_motion>,
    Option<&ft_shape>,
    Option<&ft_motion>,
    Option<&ft_options>,
    Out<'_, ft_answer>,
) -> ft_status;
type StateCall = unsafe extern "C" fn(
    Option<&ft_checker>,
    *const f64,
    usize,
    Option<&ft_options>,
    Out<'_, ft_answer>,
) -> ft_status;
type MotionCall = unsafe extern "C" fn(
    Option<&ft_checker>,
    *const f64,
    *const f64,
    usize,
    Option<&ft_options>,
    Out<'_, ft_answer>,
) -> ft_status;

/// A rail with a ball on it: the cheapest robot.
const URDF: &str = r#"<robot name="slider"><link name="rail"/><link name="ball"><collision><geometry><sphere radius="1"/>
    </geometry></collision></link><joint name="slide" type="prismatic"><parent link="rail"/><child link="ball"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="9" effort="1" velocity="1"/></joint></robot>"#;

fn main() {
    println!("{:<34} {:>10} {:>10} {:>10}", "call", "Rust, ns", "C, ns", "over, ns");
    let mut worst = f64::NEG_INFINITY;
    let mut row = |name: &str, calls: usize, rust: &mut dyn FnMut() -> f64, c: &mut dyn FnMut() -> f64| {
        let [rust, c] = fastest(calls, rust, c);
        println!("{name:<34} {rust:>10.1} {c:>10.1} {:>10.1}", c - rust);
        worst = if c - rust > worst { c - rust } else { worst };
    };
    features(&mut row);
    ellipsoids(&mut row);
    shapes(&mut row);
    robots(&mut row);
    println!("most over: {worst:.1} ns");
}

type Row<'a> = dyn FnMut(&str, usize, &mut dyn FnMut() -> f64, &mut dyn FnMut() -> f64) + 'a;

/// Returns the time of a call of each in its fastest round, in nanoseconds.
fn fastest(calls: usize, rust: &mut dyn FnMut() -> f64, c: &mut dyn FnMut() -> f64) -> [f64; 2] {
    let mut times = [f64::INFINITY; 2];
    let mut sums = [0.0; 2];
    for _ in 0..ROUNDS {
        for (side, (fastest, sum)) in times.iter_mut().zip(&mut sums).enumerate() {
            let began = Instant::now();
            for _ in 0..calls {
                *sum += if side == 0 { rust() } else { c() };
            }
            let time = began.elapsed().as_secs_f64() * 1e9 / calls as f64;
            *fastest = if time < *fastest { time } else { *fastest };
        }
    }
    assert_eq!(sums[0], sums[1], "Rust and C must answer the same");
    times
}

fn written<T>(status: ft_status, out: MaybeUninit<T>) -> T {
    assert_eq!(status, ft_status::Ok);
    // SAFETY: a call that returns `Ok` has written its result.
    unsafe { out.assume_init() }
}

fn made<T>(make: impl FnOnce(Out<'_, T>) -> ft_status) -> T {
    let mut out = MaybeUninit::uninit();
    let status = make(Some(&mut out));
    written(status, out)
}

fn features(row: &mut Row<'_>) {
    for (name, z) in [("vertex and face, far apart", 9.0), ("vertex and face, touch", -3.0)] {
        let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let at = |z: f64| [[0.25, 0.25, z], face[0], face[1], face[2]];
        let points = ft_four_points { t0: at(1.0), t1: at(z) };
        let call = black_box(ft_vertex_face as VertexFaceCall);
        row(
            name,
            1000,
            &mut || {
                let points = black_box(&points);
                let limits = Limits::new(black_box(&Options::DEFAULT)).unwrap();
                let pair =
                    VertexFace::new(points.t0.map(DVec3::from_array), points.t1.map(DVec3::from_array));
                match vertex_face(&pair.unwrap(), &limits).outcome {
                    Verdict::Touch(contact) => contact.toi,
                    _ => 0.0,
                }
            },
            &mut || made(|out: Out<'_, ft_contact>| call(Some(black_box(&points)), None, out)).toi,
        );
    }
}

fn ellipsoids(row: &mut Row<'_>) {
    let at = |x: f64| ft_pose { xyz: [x, 0.0, 0.0], quat_wxyz: [1.0, 0.0, 0.0, 0.0] };
    let (a, b) = (
        ft_ellipsoid { semi_axes: [2.0, 1.0, 1.0], pose: at(0.0) },
        ft_ellipsoid { semi_axes: [1.0; 3], pose: at(3.5) },
    );
    let call = black_box(ft_ellipsoid_relation as RelationCall);
    let read = |given: &ft_ellipsoid| {
        let shape = Ellipsoid::new(DVec3::from_array(given.semi_axes)).unwrap();
        let [w, x, y, z] = given.pose.quat_wxyz;
        let pose = Pose::new(DVec3::from_array(given.pose.xyz), DQuat::from_xyzw(x, y, z, w));
        Posed::new(&shape, &pose.unwrap())
    };
    row(
        "relation of two ellipsoids",
        1000,
        &mut || match read(black_box(&a)).relation(&read(black_box(&b))) {
            Relation::Separate => 0.0,
            Relation::Touching => 1.0,
            Relation::Overlapping => 2.0,
        },
        &mut || f64::from(made(|out| call(Some(black_box(&a)), Some(black_box(&b)), out))),
    );
}

fn shapes(row: &mut Row<'_>) {
    let at = |z: f64| Pose::from_translation(DVec3::Z * z).unwrap();
    let plain = |z: f64| ft_pose { xyz: [0.0, 0.0, z], quat_wxyz: [1.0, 0.0, 0.0, 0.0] };
    let (ball, slab) =
        (Sphere::new(1.0).unwrap().into(), Cuboid::new(DVec3::new(8.0, 8.0, 2.0)).unwrap().into());
    let (falling, resting) = (Motion::linear(at(10.0), at(0.0)), Motion::fixed(at(0.0)));
    let c_ball: *mut ft_shape = made(|out| ft_shape_sphere(1.0, out));
    let c_slab: *mut ft_shape = made(|out| ft_shape_box(8.0, 8.0, 2.0, out));
    let c_falling: *mut ft_motion = made(|out| ft_motion_linear(Some(&plain(10.0)), Some(&plain(0.0)), out));
    let c_resting: *mut ft_motion = made(|out| ft_motion_fixed(Some(&plain(0.0)), out));
    let call = black_box(ft_first_touch as FirstTouchCall);
    // SAFETY: they were just made, and are freed below.
    let [a, b] = [c_ball, c_slab].map(|handle| unsafe { handle.as_ref() });
    // SAFETY: they were just made, and are freed below.
    let [path_a, path_b] = [c_falling, c_resting].map(|handle| unsafe { handle.as_ref() });
    row(
        "two shapes, touch",
        100,
        &mut || {
            let answer = first_touch((black_box(&ball), &falling), (&slab, &resting), &Options::DEFAULT);
            answer.unwrap().touch().unwrap().toi
        },
        &mut || made(|out: Out<'_, ft_answer>| call(black_box(a), path_a, b, path_b, None, out)).toi,
    );
    // SAFETY: made above by the library, and no longer used.
    for shape in [c_ball, c_slab].map(|handle| unsafe { Box::from_raw(handle) }) {
        ft_shape_free(Some(shape));
    }
    // SAFETY: made above by the library, and no longer used.
    for motion in [c_falling, c_resting].map(|handle| unsafe { Box::from_raw(handle) }) {
        ft_motion_free(Some(motion));
    }
}

fn robots(row: &mut Row<'_>) {
    let file = firsttouch_io::parse_urdf(URDF.as_bytes(), "slider.urdf").unwrap();
    let meshes = firsttouch_io::read_robot_meshes(&file).unwrap();
    let robot = firsttouch_io::build_robot(&file, &meshes, &Default::default()).unwrap();
    let post = Motion::fixed(Pose::from_translation(DVec3::X * 10.0).unwrap());
    let post = Body::new("post", Sphere::new(1.0).unwrap(), post);
    let checker = Checker::new(robot, Pose::IDENTITY, vec![post]).unwrap();

    // SAFETY: the text can be read.
    let c_robot: *mut ft_robot = made(|out| unsafe {
        ft_robot_from_urdf_text(
            URDF.as_ptr().cast::<c_char>(),
            URDF.len(),
            std::ptr::null(),
            0,
            std::ptr::null(),
            out,
        )
    });
    // SAFETY: it was just made, and is freed below.
    let c_checker: *mut ft_checker = made(|out| ft_checker_new(unsafe { c_robot.as_ref() }, None, None, out));
    let c_ball: *mut ft_shape = made(|out| ft_shape_sphere(1.0, out));
    let at = ft_pose { xyz: [10.0, 0.0, 0.0], quat_wxyz: [1.0, 0.0, 0.0, 0.0] };
    let c_resting: *mut ft_motion = made(|out| ft_motion_fixed(Some(&at), out));
    // SAFETY: all were just made, and the name ends with a NUL.
    let added = unsafe {
        let (shape, motion) = (c_ball.as_ref(), c_resting.as_ref());
        ft_checker_add_obstacle(c_checker.as_mut(), c"post".as_ptr(), shape, motion, None)
    };
    assert_eq!(added, ft_status::Ok);
    // SAFETY: it was just made, no longer changes, and is freed below.
    let shared = unsafe { c_checker.as_ref() };

    let state = black_box(ft_checker_check_state as StateCall);
    let motion = black_box(ft_checker_check_motion as MotionCall);
    for (name, from, to) in [
        ("robot in a state, free", 0.0, None),
        ("robot on an edge, free", 0.0, Some(5.0)),
        ("robot on an edge, touch", 0.0, Some(9.0)),
    ] {
        let (from, to) = ([from], to.map(|to| [to]));
        row(
            name,
            100,
            &mut || {
                let report = match &to {
                    None => checker.check_state(black_box(&from), &Options::DEFAULT),
                    Some(to) => checker.check_step(black_box(&from), to, &Options::DEFAULT),
                };
                report.unwrap().answer.free_until(1.0)
            },
            &mut || {
                // SAFETY: one number can be read at each address.
                made(|out: Out<'_, ft_answer>| unsafe {
                    match &to {
                        None => state(black_box(shared), from.as_ptr(), 1, None, out),
                        Some(to) => motion(black_box(shared), from.as_ptr(), to.as_ptr(), 1, None, out),
                    }
                })
                .free_until
            },
        );
    }
    // SAFETY: made above by the library, and no longer used.
    unsafe {
        ft_checker_free(Some(Box::from_raw(c_checker)));
        ft_robot_free(Some(Box::from_raw(c_robot)));
        ft_shape_free(Some(Box::from_raw(c_ball)));
        ft_motion_free(Some(Box::from_raw(c_resting)));
    }
}
