//! Robots from URDF and SRDF.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

use firsttouch::articulated::Robot;
use firsttouch_io::{Files, SrdfFile, build_robot, parse_srdf, parse_urdf, read_robot_meshes};

use crate::border::{
    by_names, entry, freed, ft_status, given, guarded, hand_out, list, optional_text, put, put_text, text,
};

/// A tree of links that move by their joints. Scenes and checkers copy it, sharing its geometry.
pub struct ft_robot {
    pub(crate) robot: Arc<Robot>,
    warnings: Vec<String>,
}

/// Creates a robot from a URDF file with its meshes and, unless `srdf_path` is NULL, an SRDF file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_robot_from_urdf_file(
    urdf_path: *const c_char,
    srdf_path: *const c_char,
    out: Option<&mut MaybeUninit<*mut ft_robot>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        // SAFETY: the caller's promise.
        let urdf = Path::new(unsafe { text("urdf_path", urdf_path)? });
        // SAFETY: the caller's promise.
        let srdf = unsafe { optional_text("srdf_path", srdf_path)? }.map(Path::new);
        let (robot, warnings) = Files::default().read_robot(urdf, srdf)?;
        hand_out(
            out,
            ft_robot {
                robot: Arc::new(robot),
                warnings: warnings.iter().map(|warning| warning.to_string()).collect(),
            },
        );
        Ok(())
    })
}

/// Creates a robot from the texts of a URDF file and, unless `srdf` is NULL, of an SRDF file. The texts need not end
/// with a NUL; their sizes are in bytes. Mesh files are searched from `folder` upwards; NULL stands for the current
/// one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_robot_from_urdf_text(
    urdf: *const c_char,
    urdf_size: usize,
    srdf: *const c_char,
    srdf_size: usize,
    folder: *const c_char,
    out: Option<&mut MaybeUninit<*mut ft_robot>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        given("urdf", (!urdf.is_null()).then_some(()))?;
        // SAFETY: the caller's promise.
        let urdf = unsafe { list("urdf", urdf.cast::<u8>(), urdf_size)? };
        // SAFETY: the caller's promise.
        let folder = Path::new(unsafe { optional_text("folder", folder)? }.unwrap_or("."));
        let file = parse_urdf(urdf, folder.join("robot.urdf"))?;
        let srdf = if srdf.is_null() {
            SrdfFile::default()
        } else {
            // SAFETY: the caller's promise.
            let srdf = unsafe { list("srdf", srdf.cast::<u8>(), srdf_size)? };
            parse_srdf(srdf, folder.join("robot.srdf"), &file)?
        };
        let robot = build_robot(&file, &read_robot_meshes(&file)?, &srdf)?;
        hand_out(
            out,
            ft_robot {
                robot: Arc::new(robot),
                warnings: file
                    .warnings
                    .iter()
                    .map(|warning| warning.to_string())
                    .chain(srdf.warnings.iter().map(|warning| warning.to_string()))
                    .collect(),
            },
        );
        Ok(())
    })
}

/// Writes the number of values in a configuration, the number of links, and the number of warnings from reading the
/// robot. Each may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ft_robot_sizes(
    robot: Option<&ft_robot>,
    dof: Option<&mut MaybeUninit<usize>>,
    links: Option<&mut MaybeUninit<usize>>,
    warnings: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let robot = given("robot", robot)?;
        put(dof, robot.robot.variables().len());
        put(links, robot.robot.links().len());
        put(warnings, robot.warnings.len());
        Ok(())
    })
}

/// Writes the name of the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_robot_name(
    robot: Option<&ft_robot>,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    // SAFETY: the caller's promise.
    guarded(|| unsafe { put_text(given("robot", robot)?.robot.name(), text, capacity, length) })
}

/// Writes the name of number `index` of a configuration: its joint's, with a suffix for planar and floating joints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_robot_variable_name(
    robot: Option<&ft_robot>,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let variable = entry("variable", given("robot", robot)?.robot.variables(), index)?;
        // SAFETY: the caller's promise.
        unsafe { put_text(&variable.name, text, capacity, length) }
    })
}

/// Writes the range in which number `index` of a configuration should stay. If there is none, `limited` is set to
/// false, and both ends to 0.
#[unsafe(no_mangle)]
pub extern "C" fn ft_robot_variable_limits(
    robot: Option<&ft_robot>,
    index: usize,
    limited: Option<&mut MaybeUninit<bool>>,
    lower: Option<&mut MaybeUninit<f64>>,
    upper: Option<&mut MaybeUninit<f64>>,
) -> ft_status {
    guarded(|| {
        let limits = entry("variable", given("robot", robot)?.robot.variables(), index)?.limits;
        let [low, high] = limits.unwrap_or_default();
        put(limited, limits.is_some());
        put(lower, low);
        put(upper, high);
        Ok(())
    })
}

/// Writes the name of a link.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_robot_link_name(
    robot: Option<&ft_robot>,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let link = entry("link", given("robot", robot)?.robot.links(), index)?;
        // SAFETY: the caller's promise.
        unsafe { put_text(link.name(), text, capacity, length) }
    })
}

/// Writes a warning about an ignored part of the robot's files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_robot_warning(
    robot: Option<&ft_robot>,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let warning = entry("warning", &given("robot", robot)?.warnings, index)?;
        // SAFETY: the caller's promise.
        unsafe { put_text(warning, text, capacity, length) }
    })
}

/// Leaves two links out of every check against each other. Objects that were made from the robot before do not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_robot_allow(
    robot: Option<&mut ft_robot>,
    link_a: *const c_char,
    link_b: *const c_char,
) -> ft_status {
    let names = [("link_a", link_a), ("link_b", link_b)];
    // SAFETY: the caller's promise.
    unsafe {
        by_names("robot", robot, names, |robot, [a, b]| Ok(Arc::make_mut(&mut robot.robot).allow(a, b)?))
    }
}

/// Frees a robot. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_robot_free(robot: Option<Box<ft_robot>>) {
    freed(robot);
}
