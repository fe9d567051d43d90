//! How a unit is read: where headers are looked for, which macros are defined from outside, for which target.

use std::fmt::Write;

/// The way a unit is compiled, as far as reading depends on it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// The folders of `-I`, in their order.
    pub include_folders: Vec<String>,
    /// The macros of `-D`: a name, and its value if one was given.
    pub defines: Vec<(String, Option<String>)>,
    /// The target, in ispc's own form: `avx2-i32x8`.
    pub target: Target,
}

impl Default for Config {
    fn default() -> Config {
        let target = Target::named("avx2-i32x8").expect("a target");
        Config { include_folders: Vec::new(), defines: Vec::new(), target }
    }
}

/// A target of ispc's, as macros tell it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// The instruction set, as ispc's macros name it: `AVX512SKX`.
    pub instructions: String,
    /// The number of lanes of a gang.
    pub width: u32,
    /// The bits of an element, which those of a mask follow.
    pub element_bits: u32,
}

impl Target {
    /// Reads a target as ispc's `--target` takes it; of a list, the first.
    pub fn named(list: &str) -> Option<Target> {
        let name = list.split(',').next()?.trim();
        if name == "host" {
            return Target::named("avx2-i32x8");
        }
        let (isa, shape) = name.rsplit_once('-').unwrap_or((name, ""));
        let known = ["sse2", "sse4", "avx", "neon", "gen9", "xe", "wasm", "vsx", "rv64", "generic"];
        if !known.iter().any(|family| isa.starts_with(family)) {
            return None;
        }
        let (bits, width) = match shape.strip_prefix('i').unwrap_or(shape).split_once('x') {
            Some(("", width)) => (32, width.parse().ok()?),
            Some((bits, width)) => (bits.parse().ok()?, width.parse().ok()?),
            None => (32, default_width(isa)),
        };
        let family = match isa {
            "sse4.1" | "sse4.2" => "sse4",
            "avx1" => "avx",
            "avx1.1" => "avx11",
            "avx10.2dmr" | "avx10.2-dmr" => "avx10_2dmr",
            isa => isa,
        };
        let instructions = family.to_uppercase().replace(['-', '.'], "_");
        Some(Target { instructions, width, element_bits: bits })
    }

    /// The target that is closest to a processor: its triple, the bytes of its registers, and the lanes that are wanted.
    pub fn closest(triple: &str, register_bytes: u16, lanes: Option<u32>) -> Target {
        let (isa, usual) = match register_bytes {
            0 => ("generic", 1),
            _ if triple.starts_with("aarch64") => ("neon", 4),
            _ if triple.starts_with("riscv") => ("rv64gcv", 4),
            64 => ("avx512skx", 16),
            16 => ("sse4", 4),
            _ => ("avx2", 8),
        };
        Target::named(&format!("{isa}-i32x{}", lanes.unwrap_or(usual))).unwrap_or_else(|| Config::default().target)
    }

    fn starts_with_any(&self, families: &[&str]) -> bool {
        families.iter().any(|family| self.instructions.starts_with(family))
    }

    /// The capabilities that ispc tells of this instruction set by macros named `ISPC_TARGET_HAS_…`.
    fn capabilities(&self) -> Vec<&'static str> {
        let rows: &[(&str, &[&str])] = &[
            ("FP64_SUPPORT", &[""]),
            ("HALF", &["AVX2", "AVX5", "AVX10", "NEON", "XE"]),
            ("RAND", &["AVX2", "AVX5", "AVX10"]),
            ("RSQRTD", &["AVX5", "AVX10", "XE"]),
            ("RCPD", &["AVX5", "AVX10", "XE"]),
            ("CONFLICT_DETECTION", &["AVX5", "AVX10"]),
            ("HALF_FULL_SUPPORT", &["AVX512SPR", "AVX512GNR", "AVX10", "XE"]),
            ("FP16_SUPPORT", &["AVX512SPR", "AVX512GNR", "AVX10", "NEON", "XE"]),
            ("INTEL_VNNI", &["AVX2VNNI", "AVX512ICL", "AVX512SPR", "AVX512GNR", "AVX10"]),
        ];
        rows.iter().filter(|(_, families)| self.starts_with_any(families)).map(|(name, _)| *name).collect()
    }
}

/// The instruction sets with registers of 512 bits, by what ispc's names for them start with.
const OF_512_BITS: [&str; 6] = ["avx512knl", "avx512skx", "avx512icl", "avx512spr", "avx512gnr", "avx10"];

fn default_width(isa: &str) -> u32 {
    match isa {
        _ if OF_512_BITS.iter().any(|start| isa.starts_with(start)) => 16,
        _ if isa.starts_with("avx") => 8,
        _ => 4,
    }
}

/// The limits of types, which ispc's first header defines.
const LIMITS: &[(&str, &str)] = &[
    ("INT8_MAX", "127"),
    ("INT16_MAX", "32767"),
    ("INT32_MAX", "2147483647L"),
    ("INT64_MAX", "9223372036854775807LL"),
    ("UINT8_MAX", "255U"),
    ("UINT16_MAX", "65535U"),
    ("UINT32_MAX", "4294967295UL"),
    ("UINT64_MAX", "18446744073709551615ULL"),
    ("INT8_MIN", "(-INT8_MAX - 1)"),
    ("INT16_MIN", "(-INT16_MAX - 1)"),
    ("INT32_MIN", "(-INT32_MAX - 1)"),
    ("INT64_MIN", "(-INT64_MAX - 1)"),
    ("F16_MIN", "6.103515625e-05F16"),
    ("F16_MAX", "65504.0F16"),
    ("FLT_MIN", "1.17549435e-38F"),
    ("FLT_MAX", "3.40282347e+38F"),
    ("DBL_MIN", "2.2250738585072014e-308D"),
    ("DBL_MAX", "1.7976931348623157e+308D"),
    ("PREFETCH_DATASIZE_DEFAULT", "4"),
];

impl Config {
    /// The directives that stand in front of every unit: what ispc defines by itself, then `-D`.
    pub fn predefined(&self) -> String {
        let target = &self.target;
        let (lanes, bits) = (target.width, target.element_bits);
        let mask_bits = if target.starts_with_any(&["AVX5", "AVX10", "XE"]) { 1 } else { bits };
        let mut text = String::new();
        let mut define = |name: &str, value: &str| _ = writeln!(text, "#define {name} {value}");
        define("ISPC", "1");
        define("ISPC_MAJOR_VERSION", "1");
        define("ISPC_MINOR_VERSION", "30");
        define("LLVM_VERSION_MAJOR", "22");
        define("LLVM_VERSION_MINOR", "1");
        define("PI", "3.1415926535");
        define("ISPC_UINT_IS_DEFINED", "1");
        define("ISPC_ATTRIBUTE_SUPPORTED", "1");
        define("ISPC_INCLUDE_STDLIB", "1");
        define("ISPC_POINTER_SIZE", "64");
        define("ISPC_FP64_SUPPORTED", "1");
        define(&format!("ISPC_TARGET_{}", target.instructions), "1");
        if target.starts_with_any(&["XE"]) {
            define("ISPC_TARGET_XE", "");
        }
        define("TARGET_WIDTH", &lanes.to_string());
        define("TARGET_ELEMENT_WIDTH", &(bits / 8).to_string());
        define("ISPC_MASK_BITS", &mask_bits.to_string());
        define("ISPC_MATH_LIB_ISPC_VAL", "0");
        define("ISPC_MATH_LIB_ISPC_FAST_VAL", "1");
        define("ISPC_MATH_LIB_SVML_VAL", "2");
        define("ISPC_MATH_LIB_SYSTEM_VAL", "3");
        define("ISPC_MATH_LIB_VAL", "0");
        for name in target.capabilities() {
            define(&format!("ISPC_TARGET_HAS_{name}"), "1");
        }
        if target.capabilities().contains(&"FP16_SUPPORT") {
            define("ISPC_FP16_SUPPORTED", "1");
        }
        for (name, value) in LIMITS {
            define(name, value);
        }
        let mask_type = if mask_bits == 1 { "bool".to_owned() } else { format!("int{mask_bits}") };
        define("IntMaskType", &mask_type);
        define("UIntMaskType", &if mask_bits == 1 { mask_type.clone() } else { format!("unsigned {mask_type}") });
        define("assert(x)", "__assert(#x, x)");
        define("alloca(x)", "__alloca(x)");
        // Declared by the library's first header; the two variables have a value for each target.
        text += "struct RNGState { unsigned int z1, z2, z3, z4; };\n";
        text += "typedef uniform int8 * uniform opaque_ptr_t;\n";
        text += &format!("static const uniform int programCount = {lanes};\nstatic const int programIndex;\n");
        let mut define = |name: &str, value: &str| _ = writeln!(text, "#define {name} {value}");
        for (name, value) in &self.defines {
            // As of a command line, the value ends with the line.
            let value = value.as_deref().unwrap_or("1");
            define(name, value.lines().next().unwrap_or_default());
        }
        text
    }

    /// Takes the arguments of an ispc command: `-I`, `-D`, `-U`, `--target`. Folders are relative to that of the command.
    pub fn take_arguments(&mut self, arguments: &[String], folder: &str) {
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let value_of = |mark: &str| argument.strip_prefix(mark).map(str::to_owned);
            if let Some(value) = value_of("--target=") {
                self.target = Target::named(&value).unwrap_or(self.target.clone());
            } else if argument == "--target" {
                self.target = arguments.next().and_then(|value| Target::named(value)).unwrap_or(self.target.clone());
            } else if let Some(value) = value_of("-I") {
                let value = if value.is_empty() { arguments.next().cloned().unwrap_or_default() } else { value };
                self.include_folders.push(crate::file::join(folder, &value));
            } else if let Some(value) = value_of("-D") {
                let value = if value.is_empty() { arguments.next().cloned().unwrap_or_default() } else { value };
                self.define(&value);
            } else if let Some(name) = value_of("-U") {
                self.defines.retain(|(defined, _)| *defined != name);
            }
        }
    }

    /// Takes one macro definition as it stands behind `-D`: `NAME` or `NAME=VALUE`.
    pub fn define(&mut self, definition: &str) {
        let (name, value) = match definition.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (definition, None),
        };
        self.defines.push((name.to_owned(), value));
    }
}
