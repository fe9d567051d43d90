" Indents Lane: deeper behind a header and inside brackets, out behind a line that ends its block.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=LaneIndent(v:lnum) indentkeys=!^F,o,O,0),0],=elif,=else,=case autoindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< autoindent<'

if exists('*LaneIndent')
  finish
endif

" The line without its comment and the white space before that.
function! s:Code(lnum) abort
  return substitute(getline(a:lnum), '\s*\%(#.*\)\?$', '', '')
endfunction

" The last line before this one that says something.
function! s:Before(lnum) abort
  let lnum = prevnonblank(a:lnum - 1)
  while lnum > 0 && s:Code(lnum) ==# ''
    let lnum = prevnonblank(lnum - 1)
  endwhile
  return lnum
endfunction

" How many brackets a text leaves open (or closes without having opened them, then below 0).
function! s:Open(text) abort
  return strlen(substitute(a:text, '[^(\[]', '', 'g')) - strlen(substitute(a:text, '[^)\]]', '', 'g'))
endfunction

" The line on which the statement that ends at a line began.
function! s:Start(lnum) abort
  let lnum = a:lnum
  let open = s:Open(s:Code(lnum))
  while open < 0 && lnum > 1
    let lnum -= 1
    let open += s:Open(s:Code(lnum))
  endwhile
  return lnum
endfunction

" Whether a line heads a block, with its colon or while that is still missing.
function! s:Heads(code) abort
  if a:code =~# ':$'
    return 1
  endif
  return a:code =~# '^\%(kernel\|fn\)\>.*)\s*\%(->[^:]*\)\?$'
        \ || a:code =~# '^\s*\%(for\|foreach\|cfor\|while\|cwhile\|if\|cif\|elif\)\>[^:]*[[:alnum:]_)\]]$'
        \ || a:code =~# '^\s*\%(match\|case\)\s\+[^=:]*[[:alnum:]_)\]]$'
        \ || a:code =~# '^\%(struct\|enum\)\s\+\w\+\%((\w*)\)\?$'
        \ || a:code =~# '^\s*else$'
endfunction

function! LaneIndent(lnum) abort
  let before = s:Before(a:lnum)
  let line = getline(a:lnum)
  " Documentation and attributes in column 0, and items, stay there.
  if before == 0 || line =~# '^\%(##\|@\|kernel\>\|fn\>\|struct\>\|const\>\|\%(enum\|use\)\s\)'
    return 0
  endif
  let code = s:Code(before)
  if line =~# '^\s*[)\]]'
    return s:Open(code) > 0 ? indent(before) : max([0, indent(before) - shiftwidth()])
  endif
  if s:Open(code) > 0
    return indent(before) + shiftwidth()
  endif
  let start = s:Start(before)
  let deeper = s:Heads(code) ? shiftwidth() : 0
  let out = code =~# '^\s*\%(return\|break\|continue\|pass\)\>' ? shiftwidth() : 0
  if line =~# '^\s*\%(elif\|else\)\>'
    " Under the nearest `if` above that this can belong to.
    let lnum = start
    while lnum > 0 && !(getline(lnum) =~# '^\s*\%(c\?if\|elif\)\>' && indent(lnum) < indent(start) + deeper)
      let lnum = prevnonblank(lnum - 1)
    endwhile
    return lnum > 0 ? indent(lnum) : max([0, indent(start) - shiftwidth()])
  endif
  if line =~# '^\s*case\>'
    " Under the nearest case above that this can follow, or one step in from the `match`.
    let lnum = start
    let limit = indent(start) + deeper
    while lnum > 0 && !(getline(lnum) =~# '^\s*\%(match\|case\)\s' && indent(lnum) < limit)
      let lnum = prevnonblank(lnum - 1)
    endwhile
    if lnum > 0
      return indent(lnum) + (getline(lnum) =~# '^\s*match\s' ? shiftwidth() : 0)
    endif
  endif
  let wanted = max([0, indent(start) + deeper - out])
  " Where a block ends is only for its author to say: a line that stands further out than it must stays there.
  return line =~# '\S' && deeper == 0 && indent(a:lnum) < wanted ? -1 : wanted
endfunction
