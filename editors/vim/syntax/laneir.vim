" Colours for Lane IR, the text of a kernel at a stage.
if exists('b:current_syntax')
  finish
endif

syntax case match

syntax keyword laneirItem kernel let
syntax keyword laneirRepeat for foreach cfor while cwhile in do with reducing from
syntax keyword laneirVector vector_for
syntax keyword laneirConditional if cif else
syntax keyword laneirStatement yield return pass assert
syntax keyword laneirType bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16
syntax keyword laneirConstant true false inf nan
syntax keyword laneirLanes lane_id LANES

syntax match laneirCall /\<\h\w*\ze\s*(/ contains=laneirPerLane,laneirMemory,laneirCross,laneirType,laneirItem,laneirConditional,laneirRepeat,laneirStatement
" Every active lane its own cell: what one reads this text to find.
syntax keyword laneirPerLane contained gather scatter
syntax keyword laneirMemory contained vector_load masked_load reversed_load strided_load repeated_load periodic_load
syntax keyword laneirMemory contained interleaved_load expand_load vector_store masked_store reversed_store strided_store
syntax keyword laneirMemory contained interleaved_store compress_store atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exchange prefetch prefetch_row
syntax keyword laneirCross contained lane_index splat pack extract rotate shuffle lookup permute reverse any all none count_on first_on last_on first_of regroup sad active_lanes
syntax keyword laneirCross contained reduce_add reduce_mul reduce_min reduce_max reduce_and reduce_or reduce_xor
syntax keyword laneirCross contained fold_add fold_mul fold_min fold_max scan_add

syntax match laneirUnnamed /\<_\d\+\>/
syntax match laneirNumber /\<\d\+\%(\.\d*\)\?\%([eE][-+]\?\d\+\)\?\>/
syntax match laneirOperator /[-+*\/%<>=!&|^~]/
syntax match laneirAttribute /^\s*@\h\w*/
syntax match laneirComment /#.*$/

highlight default link laneirItem Keyword
highlight default link laneirRepeat Repeat
highlight default link laneirVector Special
highlight default link laneirConditional Conditional
highlight default link laneirStatement Statement
highlight default link laneirType Type
highlight default link laneirConstant Constant
highlight default link laneirLanes Special
highlight default link laneirCall Function
highlight default link laneirPerLane WarningMsg
highlight default link laneirMemory Function
highlight default link laneirCross Special
highlight default link laneirUnnamed Comment
highlight default link laneirNumber Number
highlight default link laneirOperator Operator
highlight default link laneirAttribute PreProc
highlight default link laneirComment Comment

let b:current_syntax = 'laneir'
