--- What neovim.sh holds Neovim to. Runs once the kernel is open; leaves with 1 at the first thing that does not hold.

local support = dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'support.lua')
local check, eventually, lines, press = support.check, support.eventually, support.lines, support.press

local function line_of(buffer, text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      return number, column - 1
    end
  end
end

local function go_to(text)
  vim.api.nvim_win_set_cursor(0, { line_of(0, text) })
end

--- Marks that the lines which belong together are lit with.
local function lit(buffer)
  local namespace = vim.api.nvim_get_namespaces().lanescope
  local marks = vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, {})
  local found = {}
  for _, mark in ipairs(marks) do
    table.insert(found, mark[2] + 1)
  end
  return found
end

vim.cmd('filetype plugin indent on | syntax on')
local lanescope = require('lanescope')
-- A file that is open already gets its server too, as where a plug-in manager loads this late.
vim.cmd('edit')
lanescope.setup { cmd = { vim.env.LANESCOPE, 'lsp' } }
local kernel = vim.api.nvim_get_current_buf()

local function errors()
  return support.errors(kernel)
end

check(vim.bo.filetype == 'lane', 'the file type is Lane')
eventually('the name that is not there is found', function()
  return #errors() == 1
end)
local finding = errors()[1]
check(finding.message:find('volumes', 1, true) ~= nil, 'the finding names it')
check(finding.lnum == 7, 'the finding stands at its line')

go_to('volumes')
vim.cmd('normal! cwvolume')
eventually('the finding goes once the name is right', function()
  return #errors() == 0
end)

go_to('loud * volume')
local params = vim.lsp.util.make_position_params(0, 'utf-16')
local answers = vim.lsp.buf_request_sync(kernel, 'textDocument/hover', params, 10000)
local _, answer = next(answers or {})
check(answer and answer.result and vim.inspect(answer.result):find('f32', 1, true), 'the hover says the type')

go_to('twice(samples')
vim.lsp.buf.definition()
eventually('the jump leads to the function', function()
  return vim.api.nvim_win_get_cursor(0)[1] == 2
end)

go_to('loud * volume')
vim.lsp.buf.rename('gain')
eventually('the rename changes both places', function()
  return lines(kernel):find('let gain = 2.5', 1, true) and lines(kernel):find('* gain * volume', 1, true)
end)

--- Asks the server about the cursor's place, as commands that show their answers in a window of their own do.
local function ask(method, more)
  local about = vim.lsp.util.make_position_params(0, 'utf-16')
  local _, found = next(vim.lsp.buf_request_sync(kernel, method, vim.tbl_extend('force', about, more or {}), 10000) or {})
  return vim.inspect(found and found.result)
end

go_to('samples[i]) * ')
check(ask('textDocument/signatureHelp'):find('twice(x', 1, true), 'the signature of a call is known')
check(ask('textDocument/documentHighlight'):find('kind = 2', 1, true), 'what is called the same is lit')
check(ask('textDocument/foldingRange'):find('endLine = 7', 1, true), 'loops and kernels fold')

go_to('twice(samples')
vim.lsp.buf.incoming_calls()
eventually('the calls of a function are found', function()
  local called = vim.fn.getqflist()
  return called[1] and called[1].text == 'scale'
end)
vim.cmd('cclose')

vim.api.nvim_buf_set_lines(kernel, 5, 6, false, { '    let  gain=2.5' })
if vim.lsp.buf.format then
  vim.lsp.buf.format()
else
  vim.lsp.buf.formatting_sync()
end
check(lines(kernel):find('    let gain = 2.5', 1, true), 'the formatter runs')
check(vim.bo.omnifunc ~= '' and vim.bo.tagfunc ~= '', 'completion and tags are the server’s')

check(vim.tbl_contains(lanescope.stages(), 'sequential'), 'the stages are known')
go_to('for i in')
vim.cmd('LaneView sequential')
local view
eventually('the view opens beside the source', function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if buffer ~= kernel and lines(buffer):find('for i in range(0, n)', 1, true) then
      view = buffer
      return true
    end
  end
end)
check(vim.bo[view].syntax == 'laneir', 'the view is coloured as Lane IR')
local source_window = vim.api.nvim_get_current_win()

--- What the view says of itself.
local function title(buffer)
  local window = vim.fn.bufwinid(buffer)
  return vim.fn.exists('+winbar') == 1 and vim.wo[window].winbar or vim.wo[window].statusline
end
check(title(view):find('scale · sequential · %w+ · version %d+$'), 'the view says what it shows: ' .. title(view))

local n_windows = #vim.api.nvim_list_wins()
vim.cmd('LaneView sequential')
check(#vim.api.nvim_list_wins() == n_windows, 'the same view is not opened twice')

-- Nobody is there to press keys, so the events that keys would cause are caused by hand.
local function moved()
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = vim.api.nvim_get_current_buf() })
end

go_to('out[i] =')
moved()
check(vim.tbl_contains(lit(view), (line_of(view, 'out[i] ='))), 'the store is lit in the view')

vim.api.nvim_buf_set_lines(kernel, 7, 8, false, { '        out[i] = samples[i] * 4.25' })
vim.api.nvim_exec_autocmds('TextChanged', { buffer = kernel })
eventually('the view follows the edit', function()
  return lines(view):find('4.25', 1, true)
end)

vim.cmd('LaneView asm')
local assembly
eventually('assembly opens beside the source', function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    -- Without an LLVM it is empty, and a note says why.
    if buffer ~= kernel and buffer ~= view and vim.bo[buffer].syntax == 'asm' then
      assembly = buffer
      return true
    end
  end
end)
vim.cmd('bwipeout! ' .. assembly)

vim.api.nvim_set_current_win(vim.fn.bufwinid(view))
go_to('for i')
press('K')
local words
eventually('a word of the view is explained over it', function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      words = window
      return lines(vim.api.nvim_win_get_buf(window)):find('one after the other', 1, true)
    end
  end
end)
vim.api.nvim_win_close(words, true)
local stage = title(view)
press(']s')
eventually('the next stage is a key away', function()
  return title(view) ~= stage and not title(view):find('sequential', 1, true)
end)
press('[s')
eventually('and so is the one before', function()
  return title(view):find('sequential', 1, true) and lines(view):find('4.25', 1, true)
end)
vim.api.nvim_set_current_win(source_window)

go_to('for i in')
vim.api.nvim_set_current_win(vim.fn.bufwinid(view))
go_to('4.25')
moved()
check(vim.deep_equal(lit(kernel), { 8 }), 'the source of a line of the view is lit')
press('<C-]>')
check(vim.api.nvim_get_current_win() == source_window, 'the jump leads from the view to the source')
check(vim.api.nvim_win_get_cursor(0)[1] == 8, 'to the line that it was made from')
moved()
local back = vim.api.nvim_win_get_cursor(vim.fn.bufwinid(view))[1]
check(back == (line_of(view, '4.25')), 'and the view’s cursor follows back')

vim.api.nvim_buf_set_lines(kernel, 7, 8, false, { '        out[i] = samples[i] * (' })
vim.api.nvim_exec_autocmds('TextChanged', { buffer = kernel })
vim.wait(500)
check(lines(view):find('kernel scale', 1, true) ~= nil, 'while the text is broken, the view still shows the kernel')
check(title(view):find('error', 1, true), 'and says so: ' .. title(view))

-- As somebody does who asks for what can be done here, and takes what opens a view.
vim.api.nvim_buf_set_lines(kernel, 7, 8, false, { '        out[i] = samples[i] * 8.5' })
go_to('8.5')
vim.ui.select = function(actions, _, choose)
  for _, action in ipairs(actions) do
    local code_action = action.action or action[2]
    if code_action.title == 'View lowered IR' then
      return choose(action)
    end
  end
end
vim.lsp.buf.code_action()
local chosen
eventually('the server’s own action opens the same kind of view', function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    chosen = vim.api.nvim_win_get_buf(window)
    if lines(chosen):find('lane_id', 1, true) and lines(chosen):find('8.5', 1, true) then
      return true
    end
  end
end)
vim.api.nvim_buf_set_lines(kernel, 7, 8, false, { '        out[i] = samples[i] * 9.5' })
vim.api.nvim_exec_autocmds('TextChanged', { buffer = kernel })
eventually('which follows the edits too', function()
  return lines(chosen):find('9.5', 1, true)
end)

if vim.lsp.inlay_hint then
  vim.api.nvim_buf_set_lines(kernel, 7, 8, false, { '        out[i] = samples[i] * gain * volume' })
  eventually('hints stand in the text', function()
    local hints = vim.inspect(vim.lsp.inlay_hint.get({ bufnr = kernel }))
    return hints:find(' lanes', 1, true) and hints:find('f32', 1, true)
  end)
  local tokens = vim.lsp.semantic_tokens.get_at_pos(kernel, 7, 12)
  check(tokens and tokens[1] and tokens[1].modifiers.varying, 'what varies is known by its token')
  check(vim.api.nvim_get_hl(0, { name = '@lsp.mod.varying.lane' }).italic, 'and italic')
  vim.cmd('colorscheme habamax')
  check(vim.api.nvim_get_hl(0, { name = '@lsp.mod.varying.lane' }).italic, 'in every colour scheme')
end

-- Definitions lead into the prelude, which the server that leads there keeps as a file.
vim.api.nvim_set_current_buf(kernel)
vim.api.nvim_buf_set_lines(kernel, 7, 8, false, { '        out[i] = clamp(samples[i], 0.0, 1.0)' })
go_to('clamp')
vim.lsp.buf.definition()
eventually('the jump leads into the prelude', function()
  return vim.api.nvim_get_current_buf() ~= kernel and lines(0):find('fn clamp', 1, true)
end)
vim.wait(500)
check(#(vim.lsp.get_clients or vim.lsp.get_active_clients)() == 1, 'and no other server is started for it')
check(not vim.bo.modifiable or vim.bo.readonly, 'which nobody changes')
go_to('min(')
local in_prelude = vim.lsp.util.make_position_params(0, 'utf-16')
local _, said = next(vim.lsp.buf_request_sync(0, 'textDocument/hover', in_prelude, 10000) or {})
check(said and vim.inspect(said.result):find('smaller', 1, true), 'where hovers work')

-- What came with newer versions than the one at hand is used where it is there.
local started, hinted
vim.lsp.start = function(config, at)
  started = { config = config, buffer = at.bufnr }
end
vim.lsp.inlay_hint = {
  enable = function(is_on, at)
    hinted = { is_on = is_on, buffer = at.bufnr }
  end,
}
vim.cmd('enew | setfiletype lane')
check(started and started.config.cmd[2] == 'lsp' and started.buffer == vim.api.nvim_get_current_buf(), 'from 0.8 on, vim.lsp.start')
started.config.on_attach({ server_capabilities = { inlayHintProvider = true } }, started.buffer)
check(hinted and hinted.is_on and hinted.buffer == started.buffer, 'from 0.10 on, hints are switched on')

started = nil
vim.cmd('edit none.isph')
check(vim.bo.filetype == 'ispc' and vim.bo.syntax == 'ispc', 'ISPC files have their type and colours')
check(started and started.buffer == vim.api.nvim_get_current_buf(), 'and their server')

local problems = vim.fn.execute('messages')
check(not problems:find('Error', 1, true), 'nothing went wrong on the way: ' .. problems)
vim.cmd('qall!')
