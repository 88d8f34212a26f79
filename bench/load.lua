-- What readers send, for wrk: questions from a list, drawn beforehand, and the pages of the answers that come back.
-- LOAD_QUESTIONS: file of form bodies, one a line; LOAD_PAGES: file of paths to read instead; LOAD_READS: 1 to read each
-- answer after asking; LOAD_PAUSE: mean milliseconds that a reader pauses (0: none); LOAD_COOKIE: of a browser's session.

local function lines(name)
  local found, file = {}, os.getenv(name)
  if file then for line in io.lines(file) do found[#found + 1] = line end end
  return found
end

local questions, pages = lines("LOAD_QUESTIONS"), lines("LOAD_PAGES")
local reads = os.getenv("LOAD_READS") == "1"
local pause = tonumber(os.getenv("LOAD_PAUSE") or "0")
local form = { ["Content-Type"] = "application/x-www-form-urlencoded", ["Cookie"] = os.getenv("LOAD_COOKIE") }
local browser = { ["Cookie"] = os.getenv("LOAD_COOKIE") }
local asked, fresh, at = 0, {}, 0

function init(args)
  math.randomseed(tonumber(os.getenv("LOAD_SEED") or "1"))
  asked = math.random(0, math.max(#questions, #pages) - 1)
end

local function next_of(list)
  asked = asked % #list + 1
  return list[asked]
end

function request()
  if #fresh > 0 then return wrk.format("GET", table.remove(fresh), browser) end
  if #pages > 0 then return wrk.format("GET", next_of(pages), browser) end
  return wrk.format("POST", "/ask", form, next_of(questions))
end

if reads then
  function response(status, headers, body)
    if status == 303 then fresh[#fresh + 1] = headers["Location"] end
  end
end

if pause > 0 then  -- readers come at random, not in step
  function delay() return math.floor(-math.log(1 - math.random()) * pause) end
end
