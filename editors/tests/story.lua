--- A first day with kernels in Neovim: one is typed with ten mistakes and mended by fixes, gets an example, is tried as it could
--- be, takes the best of what was measured, runs, and is measured. Leaves with 1 at the first thing that does not hold.

local support = dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'support.lua')
local check, eventually, lines, press = support.check, support.eventually, support.lines, support.press

local EXAMPLE = {
  '## > loudness([3, 8, 1, 2], out = zeros(4), n = 4, volume = 0.25)',
  '## 1.875',
  '## out = [0.75, 1.0, 0.25, 0.5]',
}

local story = vim.env.STORY

local function read(name)
  return vim.fn.readfile(story .. '/' .. name)
end

vim.cmd('filetype plugin indent on | syntax on')
require('lanescope').setup { cmd = { vim.env.LANESCOPE, 'lsp' } }
vim.cmd('edit')
local kernel = vim.api.nvim_get_current_buf()

local function is(expected)
  return vim.deep_equal(vim.api.nvim_buf_get_lines(kernel, 0, -1, false), expected)
end

local function errors()
  return support.errors(kernel)
end

--- Puts the cursor at `line:column`, as Neovim's status line counts them.
local function go_to(line, column)
  vim.api.nvim_win_set_cursor(0, { tonumber(line), tonumber(column) - 1 })
end

--- The titles that the menu of actions has shown, and the one to take.
local menu, wanted
vim.ui.select = function(actions, _, choose)
  menu = vim.tbl_map(function(action)
    return (action.action or action[2]).title
  end, actions)
  for n, title in ipairs(menu) do
    if vim.startswith(title, wanted) then
      return choose(actions[n], n)
    end
  end
end

--- Takes the action of the cursor's place whose title begins so, once there is one, and waits until `done` holds.
local function take(title, words, done)
  local asked = 0
  wanted = title
  eventually(words, function()
    if done() then
      return true
    end
    -- An answer of the server may come in between, whose text is an older one.
    if vim.loop.now() - asked > 3000 then
      asked = vim.loop.now()
      vim.lsp.buf.code_action()
    end
  end)
end

-- Typed line by line: what the indentation makes of each is put right, as one does.
for number, line in ipairs(read('typed.lane')) do
  press(number == 1 and 'i' .. line .. '<Esc>' or 'o0<C-d>' .. line .. '<Esc>')
end
check(is(read('typed.lane')), 'a kernel is typed with ten mistakes')
eventually('and they are found', function()
  return #errors() >= 6
end)
for _, fix in ipairs(read('fixes')) do
  local line, column, title = fix:match('^(%d+):(%d+) (.*)$')
  local before = vim.api.nvim_buf_get_changedtick(kernel)
  go_to(line, column)
  take(title, 'a fix mends it: ' .. title, function()
    return vim.api.nvim_buf_get_changedtick(kernel) ~= before
  end)
end
check(is(read('mended.lane')), 'then the text is the kernel that was meant')
eventually('and there is no error', function()
  return #errors() == 0
end)

local mended = vim.list_extend(vim.deepcopy(EXAMPLE), read('mended.lane'))

--- What the list says that runs and measurements open.
local function listed()
  return table.concat(vim.tbl_map(function(entry)
    return entry.text
  end, vim.fn.getqflist()), '\n')
end

--- Runs the examples, of which this has to be said.
local function run_examples(words, verdict)
  vim.fn.setqflist({}, 'r')
  vim.cmd('LaneTest')
  eventually(words, function()
    return listed():find(verdict) ~= nil
  end)
end

vim.api.nvim_buf_set_lines(kernel, 0, 0, false, EXAMPLE)
run_examples('the kernel gets an example, which passes', '^1 example passed')
check(vim.fn.filereadable('loudness.lane') == 1 and vim.deep_equal(vim.fn.readfile('loudness.lane'), mended), 'the file was written before')

--- What stands beside a line.
local function beside(line)
  local namespace = vim.api.nvim_get_namespaces().lanescope_values
  local texts = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(kernel, namespace, { line - 1, 0 }, { line - 1, 0 }, { details = true })) do
    table.insert(texts, mark[4].virt_text and mark[4].virt_text[1][1])
  end
  return table.concat(texts)
end

go_to(11, 9)
vim.cmd('LaneValues')
eventually('the values of its lanes stand beside the lines, on the data of the example', function()
  return beside(8):find('x = [0.75, 2.0, 0.25, 0.5', 1, true) and beside(11):find('out = [0.0, 0.0, 0.0, 0.0]', 1, true)
end)
go_to(8, 32)
press('a * 1.5<Esc>')
check(lines(kernel):find('samples[i] * volume * 1.5', 1, true), 'the kernel is edited')
vim.cmd('write')
eventually('after an edit the values are other ones', function()
  return beside(8):find('x = [1.125, 3.0, 0.375, 0.75', 1, true)
end)
check(beside(12) == '', 'and none is beside what comes later')
vim.cmd('LaneValues!')
check(beside(8) == '', 'they can be hidden')
run_examples('then the example fails', '0 of 1 example passed')
local failed = vim.fn.getqflist()[1]
check(failed.bufnr == kernel and failed.lnum == 1 and listed():find('evaluated +[%d.]+'), 'which the list leads to: ' .. listed())

vim.cmd('LaneView vector')
local function view_that_shows(text)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if buffer ~= kernel and lines(buffer):find(text) then
      return buffer
    end
  end
end
local view
eventually('its lanes are looked at in a view', function()
  view = view_that_shows('lane_id')
  return view and lines(view):find('1.5', 1, true)
end)
press('u')
vim.api.nvim_exec_autocmds('TextChanged', { buffer = kernel })
eventually('which follows when the edit is taken back', function()
  return is(mended) and lines(view):find('lane_id', 1, true) and not lines(view):find('1.5', 1, true)
end)
vim.cmd('bwipeout! ' .. view)
if vim.lsp.inlay_hint then
  eventually('and hints beside the lines tell the lanes', function()
    return vim.inspect(vim.lsp.inlay_hint.get { bufnr = kernel }):find('%d+ lanes')
  end)
end
run_examples('and the example passes again', '^1 example passed')

go_to(7, 9)
vim.cmd('LaneView variants')
local table_of_variants
eventually('what if: targets, lanes and attributes are tried without an edit', function()
  table_of_variants = view_that_shows('cycles')
  return table_of_variants and lines(table_of_variants):find('avx512') and lines(table_of_variants):find('@reassoc', 1, true)
end)
check(is(mended), 'and nothing was written')
vim.cmd('bwipeout! ' .. table_of_variants)
take('Write `@reassoc`: about', 'one of them is a fix', function()
  return lines(kernel):find('\n@reassoc\nkernel loudness', 1, true)
end)
press('u')
check(is(mended), 'which is taken back')

go_to(4, 9)
--- Opens the menu of actions, and takes the one whose title begins so, if there is one.
local function open_menu(title)
  wanted, menu = title, nil
  vim.lsp.buf.code_action()
  vim.wait(5000, function()
    return menu ~= nil
  end)
  return menu or {}
end
eventually('faster versions can be found', function()
  return vim.tbl_contains(open_menu('Find faster versions'), 'Find faster versions')
end)
--- The changes that were measured to gain, in the order of the menu.
local function offers()
  return vim.tbl_filter(function(title)
    return title:find('times as fast', 1, true) ~= nil
  end, open_menu('none of them'))
end
local found
eventually('faster versions are measured, and are actions then', function()
  found = offers()
  -- Measuring wants the processor for itself.
  return #found > 0 or vim.wait(1000)
end, 240)
local previous
for _, title in ipairs(found) do
  local times = tonumber(title:match('([%d.]+) times as fast'))
  check(times and (not previous or times <= previous), 'they are ranked: ' .. title)
  previous = times
end
local attribute = found[1]:match(': (@%w+)')
take(found[1], 'the first one is written: ' .. attribute, function()
  return lines(kernel):find('\n *' .. attribute .. '%f[^%w][^\n]*\n')
end)
run_examples('what was written still gives what the example says', '^1 example passed')

vim.fn.setqflist({}, 'r')
vim.cmd('LaneBench')
eventually('the kernel is measured', function()
  return listed():find('times as fast as scalar', 1, true) and listed():find('GB/s', 1, true)
end, 60)

local problems = vim.fn.execute('messages')
check(not problems:find('Error', 1, true), 'nothing went wrong on the way: ' .. problems)
vim.cmd('qall!')
