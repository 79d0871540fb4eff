import assert from "node:assert/strict"
import { test } from "node:test"

import {
  checked, cookieText, CONTRACT, countInWords, found, labelOf, labelOfLoaded, namesOf, news, sizeInWords, toLeave,
  totalSize, withChoices,
} from "../../../ui/data/browser_storage/browser/rules.js"

const kept = (name, size, used, shelf = "data") => ({ shelf, name, size, used, digest: `${name} digest`, file: null })
const names = files => files?.map(({ name }) => name)

test("a message of another contract is refused", () => {
  assert.equal(checked({ contract: CONTRACT }).contract, CONTRACT)
  for (const message of [{ contract: CONTRACT + 1 }, {}, null, undefined]) assert.throws(() => checked(message), TypeError)
})

test("the longest unused files leave first, and no more of them than must", () => {
  const files = [kept("new", 40, 9), kept("old", 30, 1), kept("middle", 30, 5)]
  assert.deepEqual(names(toLeave(files, 1, 101)), [])
  assert.deepEqual(names(toLeave(files, 2, 101)), ["old"])
  assert.deepEqual(names(toLeave(files, 31, 101)), ["old"])
  assert.deepEqual(names(toLeave(files, 32, 101)), ["old", "middle"])
  assert.deepEqual(names(toLeave(files, 101, 101)), ["old", "middle", "new"])
})

test("after files left there is room for the one that comes, whatever the sizes", () => {
  let seed = 1
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647
  for (let trial = 0; trial < 300; trial++) {
    const files = Array.from({ length: Math.floor(random() * 7) }, (_, i) => kept(`${i}`, Math.floor(random() * 50), random()))
    const size = Math.floor(random() * 100), limit = Math.floor(random() * 100)
    const leaving = toLeave(files, size, limit)
    if (!leaving) {
      assert.ok(size > limit)
      continue
    }
    const left = files.filter(file => !leaving.includes(file))
    assert.ok(totalSize(left) + size <= limit)
    // The last to leave had to, and none that stays was used before it.
    const last = leaving.toSorted((a, b) => a.used - b.used).at(-1)
    if (last) assert.ok(totalSize(left) + last.size + size > limit)
    for (const file of left) for (const gone of leaving) assert.ok(file.used >= gone.used)
  }
})

test("a file that never fits makes no other one leave", () => {
  assert.equal(toLeave([kept("a", 10, 1)], 101, 100), undefined)
})

test("a file is found by its content, else by its name, used last first, else by its content alone", () => {
  const files = [
    { ...kept("a.csv", 1, 1), digest: "abc1" }, { ...kept("a.csv", 1, 7), digest: "def2" }, kept("b.csv", 1, 9),
  ]
  assert.equal(found(files, { name: "a.csv", digest: "abc" }).digest, "abc1")
  assert.equal(found(files, { name: "a.csv", digest: "" }).digest, "def2")
  assert.equal(found(files, { name: "a.csv", digest: "fff" }).digest, "def2")
  assert.equal(found(files, { name: "c.csv", digest: "abc" }).digest, "abc1")
  assert.equal(found(files, { name: "c.csv", digest: "" }), undefined)
  assert.equal(found(files, { name: "c.csv", digest: "fff" }), undefined)
})

test("Python hears of files only where it does not know", () => {
  const files = [kept("a", 1, 1), kept("b", 1, 2)]
  const [b, a] = namesOf(files)
  assert.deepEqual([b.name, a.name], ["b", "a"])
  const loaded = { given_name: "a.csv", size: 1, ...a }
  assert.equal(news(files, { kept: [a, b], loaded: [] }), undefined)
  assert.equal(news(files, { kept: [b], loaded: [loaded] }), undefined)
  assert.equal(news(files, { kept: [a, b], loaded: [loaded] }), undefined)
  assert.equal(news([], { kept: [], loaded: [loaded] }), undefined)
  assert.deepEqual(news(files, { kept: [b], loaded: [] }), [b, a])
  assert.deepEqual(news([], { kept: [b], loaded: [] }), [])
  assert.deepEqual(news(files, { kept: [a, { ...b, digest: "another" }], loaded: [] }), [b, a])
})

test("a cookie tells the files of each kind and the one in use", () => {
  const files = [kept("a.csv", 1, 1), kept("é, ; =.csv", 1, 2), kept("items.csv", 1, 3, "scored_data")]
  const text = cookieText(files, { data: "a.csv", scored_data: "Calibrated alerts" })
  assert.match(text, /^[\w%.!~*'()-]+$/)
  const told = JSON.parse(decodeURIComponent(text))
  assert.equal(told.data.using, "a.csv")
  assert.deepEqual(told.data.files.map(([name]) => name), ["é, ; =.csv", "a.csv"])
  assert.deepEqual(told.scored_data, { using: "", files: [["items.csv", "items.csv di"]] })
  assert.equal(cookieText([], { data: "a.csv" }), "")
})

test("a cookie that gets too long tells of the files used last", () => {
  const files = Array.from({ length: 100 }, (_, i) => kept(`file with a rather long name ${i}.csv`, 1, i))
  const text = cookieText(files, {})
  assert.ok(text.length <= 3500)
  const told = JSON.parse(decodeURIComponent(text)).data.files.map(([name]) => name)
  assert.deepEqual(told, files.toReversed().slice(0, told.length).map(({ name }) => name))
  assert.ok(told.length > 10)
})

test("choices of columns are kept up to a number, those used last, and none of any size", () => {
  const before = { a: { text: "1", used: 1 }, b: { text: "2", used: 2 } }
  assert.deepEqual(withChoices(before, { a: "3" }, 5), { a: { text: "3", used: 5 }, b: { text: "2", used: 2 } })
  assert.deepEqual(withChoices(before, { c: "x".repeat(20_001) }, 5), before)
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`n${i}`, "x"]))
  const left = withChoices(before, many, 5)
  assert.equal(Object.keys(left).length, 60)
  assert.ok(!("a" in left) && !("b" in left))
})

test("what came in and what was read are the same by name and size", () => {
  const loaded = { name: "a (2).csv", given_name: "a.csv", size: 7, digest: "" }
  assert.equal(labelOf({ name: "a.csv", size: 7 }), labelOfLoaded(loaded))
  assert.notEqual(labelOf({ name: "a.csv", size: 8 }), labelOfLoaded(loaded))
})

test("sizes and counts are said in words", () => {
  const sizes = [[0, "0 B"], [999, "999 B"], [1000, "1 kB"], [34_567, "35 kB"], [1.25e6, "1.3 MB"], [2.5e8, "250 MB"]]
  for (const [bytes, words] of sizes) assert.equal(sizeInWords(bytes), words)
  assert.equal(countInWords(1, "file"), "1 file")
  assert.equal(countInWords(2, "file"), "2 files")
})
