" ISPC: C, and the words that C does not have.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/c.vim
unlet! b:current_syntax

syn keyword ispcStorage uniform varying export task soa template typename unmasked noinline
syn keyword ispcType bool int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float16 size_t
syn keyword ispcRepeat foreach foreach_tiled foreach_active foreach_unique cfor cwhile cdo in
syn keyword ispcConditional cif
syn keyword ispcStatement launch sync new delete print assert cbreak ccontinue creturn invoke_sycl
syn keyword ispcConstant programIndex programCount taskIndex taskCount threadIndex threadCount true false NULL

hi def link ispcStorage StorageClass
hi def link ispcType Type
hi def link ispcRepeat Repeat
hi def link ispcConditional Conditional
hi def link ispcStatement Statement
hi def link ispcConstant Constant

let b:current_syntax = 'ispc'
