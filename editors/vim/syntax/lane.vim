" Colours for Lane. The language server's semantic tokens know more; this is what there is without it.
if exists('b:current_syntax')
  finish
endif

syntax case match

syntax keyword laneItem kernel fn struct const nextgroup=laneName skipwhite
" Words that are names elsewhere.
syntax match laneItem /^use\ze\s\+[[:alpha:]_.]/
syntax match laneItem /^enum\ze\s\+\h/ nextgroup=laneName skipwhite
syntax match laneConditional /^\s\+\zs\%(match\|case\)\>\ze[^=]*:/
syntax keyword laneStorage let uniform varying
syntax keyword laneRepeat for foreach cfor in while cwhile
syntax keyword laneConditional if cif elif else
syntax keyword laneStatement break continue return pass assert
syntax keyword laneOperatorWord and or not
syntax keyword laneBoolean true false
syntax keyword laneType bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16
syntax keyword laneLanes lane_id LANES
syntax match laneStorage /\<static\ze\s\+\%(for\|if\|assert\)\>/
syntax match laneName /\h\w*/ contained

" Built-in functions are no reserved words: a name is one only where it is called.
syntax match laneCall /\<\h\w*\ze\s*(/ contains=laneBuiltin,laneArray,laneCross,laneType,laneOperatorWord
syntax keyword laneBuiltin contained min max abs clamp select sqrt rsqrt rcp floor ceil round trunc fma
syntax keyword laneBuiltin contained mul_add exp exp2 exp10 expm1 log log2 log10 log1p log_base pow sin cos sincos
syntax keyword laneBuiltin contained tan sinpi cospi asin acos atan atan2 sinh cosh tanh asinh acosh atanh
syntax keyword laneBuiltin contained cbrt hypot erf erfc mix lerp step smoothstep fract sign copysign degrees
syntax keyword laneBuiltin contained radians ldexp frexp_fraction frexp_exponent nextafter isnan is_finite
syntax keyword laneBuiltin contained to_bits from_bits mul_high cast_like popcount clz ctz rotate_left rotate_right abs_diff add_sat sub_sat avg_round load_u16 store_u16 load_i16 store_i16 load_u32 store_u32 load_i32 store_i32 load_u64 store_u64 load_i64 store_i64 load_f32 store_f32 load_f64 store_f64 atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exchange prefetch cross normalize distance reflect determinant inverse diagonal byte_swap reverse_bits cast_sat largest lowest pi tau inf nan
syntax keyword laneArray contained range enumerate reversed map reduce scan iota replicate zip length sum mean product minimum maximum argmin argmax count filter reverse transpose flatten reshape concat gather scatter cumsum diff dot linspace outer matmul
syntax keyword laneCross contained any all none reduce_add reduce_min reduce_max broadcast rotate shuffle scan_add
syntax keyword laneCross contained compress_store expand_load
" `.max` is a field.
syntax match laneField /\.\s*\h\w*/

syntax match laneOperator /[-+*\/%<>=!&|^~\\]/
syntax match laneNumber /\<0[xX]\x\+\%(_\x\+\)*\>/
syntax match laneNumber /\<0[bB][01]\+\%(_[01]\+\)*\>/
syntax match laneNumber /\<\%(0\|[1-9]\d*\%(_\d\+\)*\)\>/
syntax match laneFloat /\<\d\+\%(_\d\+\)*\.\%([[:alpha:]_.]\)\@!\%(\d\+\%(_\d\+\)*\)\?\%([eE][-+]\?\d\+\)\?/
syntax match laneFloat /\<\d\+\%(_\d\+\)*\.\?[eE][-+]\?\d\+\>/
syntax match laneFloat /\%(\w\|[)\].]\)\@<!\.\d\+\%(_\d\+\)*\%([eE][-+]\?\d\+\)\?\>/

syntax region laneText oneline start=/"/ skip=/\\./ end=/"/ contains=laneEscape
syntax match laneCharacter /'\%([^'\\]\|\\x\x\x\|\\.\)'/ contains=laneEscape
syntax match laneEscape /\\\%(x\x\x\|[ntr0\\"']\)/ contained

syntax match laneAttribute /^\s*@\s*\h\w*/
syntax match laneComment /#.*$/ contains=laneTodo,@Spell
syntax match laneDoc /^##\%([^#].*\)\?$/ contains=laneCode,@Spell
syntax match laneCode /`[^`]*`/ contained contains=@NoSpell
syntax keyword laneTodo contained TODO FIXME NOTE

highlight default link laneItem Keyword
highlight default link laneStorage StorageClass
highlight default link laneRepeat Repeat
highlight default link laneConditional Conditional
highlight default link laneStatement Statement
highlight default link laneOperatorWord Operator
highlight default link laneBoolean Boolean
highlight default link laneType Type
highlight default link laneLanes Special
highlight default link laneName Function
highlight default link laneCall Function
highlight default link laneBuiltin Function
highlight default link laneArray Function
highlight default link laneCross Special
highlight default link laneOperator Operator
highlight default link laneNumber Number
highlight default link laneFloat Float
highlight default link laneText String
highlight default link laneCharacter Character
highlight default link laneEscape SpecialChar
highlight default link laneAttribute PreProc
highlight default link laneComment Comment
highlight default link laneDoc SpecialComment
highlight default link laneCode Identifier
highlight default link laneTodo Todo

let b:current_syntax = 'lane'
