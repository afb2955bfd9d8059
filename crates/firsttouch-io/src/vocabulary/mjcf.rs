//! The elements of MJCF files: those of the schema that MuJoCo 4.0 prints (`mj_printSchema`), the macros that it
//! expands before (`include`, `frame`, `replicate`, `composite`), and names of older versions that are still in files.
//! Reference: <https://mujoco.readthedocs.io/en/stable/XMLreference.html>.

use super::{Format, Judged, Row, Use, index};
use std::sync::LazyLock;

pub(crate) static MJCF: Format =
    Format { name: "MJCF", rows: ROWS, refuses_misplaced: true, index: LazyLock::new(|| index(ROWS)) };

/// The sources of links.
const BODIES: &str = "worldbody body frame";

/// Advice about elements that MuJoCo expands.
const EXPAND: &str = "it may contain geometry and joints: load the model in MuJoCo, save it with mj_saveLastXML, and take that file";

const MARGIN: Judged = Judged {
    attribute: "margin",
    harmless: &["0", "0.0"],
    verdict: Use::Warned(
        "it is not read, surfaces are where the sizes say: give a minimum separation instead",
    ),
};

const LEFT_OUT_IF_INACTIVE: &str = "**refused** unless `active=\"false\"` or a flag switches it off: give the coordinates of all joints of the loop, and remove it";

const ROWS: &[Row] = &[
    Row::read("mujoco", "", "model"),
    Row::read("mujocoinclude", "", "").and_ignores("model").note("the root of an included file"),
    Row::read("include", "*", "file").note("the children of the included root stand in its place"),
    // Settings.
    Row::read("compiler", "mujoco", "angle eulerseq autolimits meshdir assetdir strippath coordinate alignfree")
        .note("`coordinate=\"global\"` is refused; `alignfree`: see `freejoint`")
        .and_ignores(
            "balanceinertia boundinertia boundmass conflict convexhull discardvisual exactmeshinertia fitaabb fusestatic \
             inertiafromgeom inertiagrouprange passthrough savecanonical savecompiled saveinertial settotalmass texturedir usethread",
        ),
    Row::ignored(
        "lengthrange",
        "compiler",
        "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit",
    ),
    Row::read("option", "mujoco", "")
        .judging(&[Judged {
            attribute: "collision",
            harmless: &["all"],
            verdict: Use::Warned("newer versions do not have it: all pairs are checked, those of <pair> and those that bits select"),
        }])
        .and_ignores(
            "actuatorgroupdisable apirate ccd_iterations ccd_tolerance cone density gravity impratio integrator iterations \
             jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance \
             o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance \
             viscosity wind",
        ),
    Row::read("flag", "option", "filterparent equality constraint")
        .judging(&[
            Judged {
                attribute: "contact",
                harmless: &["enable"],
                verdict: Use::Warned("MuJoCo then has no contacts, but here all pairs are checked as if it were enabled"),
            },
            Judged {
                attribute: "override",
                harmless: &["disable"],
                verdict: Use::Warned("o_margin is not read: give a minimum separation instead"),
            },
        ])
        .and_ignores(
            "actuation autoreset clampctrl damper diagexact energy eulerdamp frictionloss fwdinv gravity invdiscrete ipc \
             island limit midphase multiccd nativeccd passive refsafe sensor sensornoise sleep speculative spring warmstart",
        ),
    Row::read("default", "mujoco default", "class"),
    Row::read("equality", "default", "active").and_ignores("solimp solref"),
    Row::read("pair", "default", "").judging(&[MARGIN]).and_ignores("adhesion condim friction gap solimp solref solreffriction"),
    // Geometry.
    Row::read("asset contact equality deformable worldbody", "mujoco", "").strict(),
    Row::read("mesh", "asset", "file name class scale refpos refquat vertex builtin")
        .judging(&[Judged {
            attribute: "content_type",
            harmless: &["model/obj", "model/stl"],
            verdict: Use::Refused("take an OBJ or STL file"),
        }])
        .note("the convex hull, as in MuJoCo; with `maxhullvert`, MuJoCo's is inside of it; `vertex` and `builtin` are **refused**")
        .and_ignores("inertia maxhullvert normal texcoord face params smoothnormal material"),
    Row::read("mesh", "default", "scale refpos refquat").and_ignores("inertia maxhullvert smoothnormal material"),
    Row::new("plugin", "mesh", Use::Refused("a shape that a plugin makes: save it to an OBJ or STL file")),
    Row::read("hfield", "asset", "content_type elevation file name ncol nrow size"),
    Row::read("body", BODIES, "name childclass pos quat axisangle euler xyaxes zaxis")
        .strict()
        .judging(&[Judged {
            attribute: "mocap",
            harmless: &["false"],
            verdict: Use::Warned("it rests where the file says: give it a <freejoint/> if it is to move"),
        }])
        .and_ignores("fuse gravcomp simple sleep user"),
    Row::read("frame", BODIES, "childclass pos quat axisangle euler xyaxes zaxis").strict().and_ignores("name"),
    Row::read("joint", "body frame", "name class type pos axis ref range limited")
        .note("the range of a ball joint is not used")
        .and_ignores(JOINTS),
    Row::read("joint", "default", "type pos axis ref range limited").and_ignores(JOINTS),
    Row::read("freejoint", "body frame", "name align")
        .note("`align=\"true\"` of a body without children is **refused**: its coordinates would be those of the frame of its inertia")
        .and_ignores("group"),
    Row::read(
        "geom",
        BODIES,
        "name class type size pos quat axisangle euler xyaxes zaxis fromto mesh hfield contype conaffinity",
    )
    .judging(&[MARGIN])
    .note("a primitive fitted to a mesh and `type=\"sdf\"` are **refused**")
    .and_ignores(GEOMS),
    Row::read(
        "geom",
        "default",
        "type size pos quat axisangle euler xyaxes zaxis fromto mesh hfield contype conaffinity",
    )
    .judging(&[MARGIN])
    .and_ignores(GEOMS),
    Row::new("attach composite flexcomp replicate", BODIES, Use::Refused(EXPAND)),
    Row::new("flex", "deformable", Use::Refused("a soft body: give it as a `deformable` of a scene, or remove it")),
    // Pairs and loops.
    Row::read("pair", "contact", "geom1 geom2")
        .note("checked whatever parent, bits and `exclude` say; an unknown geom is an error")
        .judging(&[MARGIN])
        .and_ignores("name class adhesion condim friction gap solimp solref solreffriction"),
    Row::read("exclude", "contact", "body1 body2").and_ignores("name"),
    Row::read("joint", "equality", "joint1 joint2 polycoef active class")
        .note("joint1 follows joint2 if the polynomial is linear; otherwise **refused** unless inactive")
        .and_ignores("name solimp solref"),
    Row::read("connect weld tendon flex flexvert flexstrain distance", "equality", "active class")
        .note(LEFT_OUT_IF_INACTIVE)
        .and_ignores(
            "name solimp solref anchor body1 body2 site1 site2 relpose torquescale polycoef tendon1 tendon2 flex cell geom1 geom2 \
             distance",
        ),
    // Elements that change no answer.
    Row::ignored("inertial", "body", "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis"),
    Row::ignored(
        "site",
        "worldbody body frame default",
        "axisangle class euler fromto group material mesh name pos quat rgba size type user xyaxes zaxis",
    ),
    Row::ignored(
        "camera",
        "worldbody body frame default",
        "axisangle class euler focal focalpixel fovy ipd mode name orthographic output pos principal principalpixel projection \
         quat resolution sensorsize target user xyaxes zaxis",
    ),
    Row::ignored(
        "light",
        "worldbody body frame default",
        "active ambient attenuation bulbradius castshadow class cutoff diffuse dir directional exponent intensity mode name pos \
         range softness specular target texture type",
    ),
    Row::ignored("plugin", "body geom flexcomp worldbody frame", "instance plugin"),
    Row::ignored("config", "plugin instance", "key value"),
    Row::ignored("skin", "asset deformable", "face file group inflate material name rgba texcoord vertex"),
    Row::ignored("bone", "skin", "bindpos bindquat body vertid vertweight"),
    Row::ignored(
        "texture",
        "asset default",
        "builtin class colorspace content_type embed file fileback filedown filefront fileleft fileright fileup gridlayout \
         gridsize height hflip mark markrgb name nchannel random rgb1 rgb2 type vflip width",
    ),
    Row::ignored(
        "material",
        "asset default",
        "class emission metallic name reflectance rgba roughness shininess specular texrepeat texture texuniform",
    ),
    Row::ignored("layer", "material", "role texture"),
    Row::ignored("model", "asset", "content_type file name"),
    Row::ignored("size", "mujoco", "memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor nuser_site nuser_tendon nuserdata"),
    Row::ignored("statistic", "mujoco", "center extent meaninertia meanmass meansize"),
    Row::ignored("visual tendon actuator sensor custom keyframe extension", "mujoco", ""),
    Row::ignored(
        "global",
        "visual",
        "azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight offwidth orthographic realtime",
    ),
    Row::ignored("quality", "visual", "numquads numslices numstacks offsamples shadowsize"),
    Row::ignored("headlight", "visual", "active ambient diffuse specular"),
    Row::ignored(
        "map",
        "visual",
        "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot torque zfar znear",
    ),
    Row::ignored(
        "scale",
        "visual",
        "actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth forcewidth framelength framewidth \
         frustum jointlength jointwidth light selectpoint slidercrank",
    ),
    Row::ignored(
        "rgba",
        "visual",
        "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint contactforce contactfriction \
         contactgap contactpoint contacttorque crankbroken fog force frustum haze inertia joint light rangefinder selectpoint \
         slidercrank",
    ),
    Row::ignored(
        "fixed spatial",
        "tendon",
        "actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin material name range rgba \
         solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user width",
    ),
    Row::ignored(
        "tendon",
        "default",
        "actuatorfrclimited actuatorfrcrange armature damping frictionloss group limited margin material range rgba \
         solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user width",
    ),
    Row::ignored("joint", "fixed", "coef joint"),
    Row::ignored("site", "spatial", "site"),
    Row::ignored("geom", "spatial", "geom sidesite"),
    Row::ignored("pulley", "spatial", "divisor"),
    Row::ignored(
        "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor",
        "actuator default",
        ACTUATORS,
    ),
    Row::ignored("plugin", "actuator", ACTUATORS),
    Row::ignored(
        "touch accelerometer velocimeter gyro force torque magnetometer camprojection rangefinder jointpos jointvel tendonpos \
         tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel jointlimitpos \
         jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat framexaxis frameyaxis \
         framezaxis framelinvel frameangvel framelinacc frameangacc subtreecom subtreelinvel subtreeangmom insidesite distance \
         normal fromto contact e_potential e_kinetic clock tactile user plugin",
        "sensor",
        "actuator body body1 body2 camera cutoff data datatype delay dim enclosed geom geom1 geom2 instance interp interval joint \
         mesh name needstage noise nsample num objname objtype plugin reduce refname reftype site subtree1 subtree2 tendon user",
    ),
    Row::ignored("numeric", "custom", "data name size"),
    Row::ignored("text", "custom", "data name"),
    Row::ignored("tuple", "custom", "name"),
    Row::ignored("element", "tuple", "objname objtype prm"),
    Row::ignored("key", "keyframe", "act ctrl mpos mquat name plastic qpos qvel time"),
    Row::ignored("plugin", "extension", "plugin"),
    Row::ignored("instance", "plugin", "name"),
];

const ACTUATORS: &str = "actdim actearly actlimited actrange area armature bias biasprm biastype body class cogging controller \
    cranklength cranksite ctrllimited ctrlrange damping dampratio delay diameter dynprm dyntype ffrange force forcelimited \
    forcerange fpmax fvmax gain gainprm gaintype gear group imax inductance inheritrange input instance interp joint \
    jointinparent ki kp kv lengthrange lmax lmin lugre motorconst name nominal nsample plugin posrange range refsite \
    resistance saturation scale site slewmax slidersite tausmooth tendon thermal timeconst user velrange vmax";

const JOINTS: &str = "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature damping frictionloss group margin \
    solimpfriction solimplimit solreffriction solreflimit springdamper springref springyield stiffness user";

const GEOMS: &str = "adhesion castshadow condim density fitscale fluidcoef fluidshape friction gap group mass material priority \
    rgba shellinertia solimp solmix solref surfacevel user";
