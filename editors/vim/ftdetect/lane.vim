" Which files are Lane, and which are Lane IR.
autocmd BufRead,BufNewFile *.lane setfiletype lane
autocmd BufRead,BufNewFile *.laneir setfiletype laneir
