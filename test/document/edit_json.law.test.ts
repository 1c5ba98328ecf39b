import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinPointer } from '../../src/core/pointer.ts'
import { editYaml, type YamlEdit } from '../../src/document/edit_yaml.ts'
import { isSoak } from '../support/law_runs.ts'

const scalar = fc.oneof(
  fc.constantFrom('', 'a b', '1', 'no', '"', '# x', ': ', 'line\nline', '\\', 'ü'),
  fc.integer(),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
)
const name = fc.constantFrom('a', 'b', 'a b', '"', '#', '1x', 'no')
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))
const tree = fc.dictionary(name, value, { minKeys: 2, maxKeys: 5, noNullPrototype: true })
const change = fc.record({
  at: fc.nat(20),
  key: name,
  to: fc.option(fc.oneof(value, fc.constant(2 ** 60)), { nil: undefined }),
})
const indent = fc.constantFrom(undefined, 2, 4)

type Fields = Record<string, unknown>

/** Maps with members, which can be edited, by pointer. */
function listMaps(part: unknown, pointer = ''): [string, Fields][] {
  if (part === null || typeof part !== 'object') return []
  const inner = Object.entries(part).flatMap(([key, one]) => listMaps(one, joinPointer(pointer, key)))
  const isMap = !Array.isArray(part) && Object.keys(part).length > 0
  return isMap ? [[pointer, part as Fields], ...inner] : inner
}

test('an edited JSON file is JSON, with the edited values', () => {
  fc.assert(
    fc.property(tree, indent, fc.array(change, { minLength: 1, maxLength: 5 }), (before, spaces, changes) => {
      let text = `${JSON.stringify(before, null, spaces)}\n`
      const expected = JSON.parse(text) as Fields
      for (const { at, key, to } of changes) {
        const maps = listMaps(expected)
        const [pointer, map] = maps[at % maps.length] ?? ['', {}]
        const edit: YamlEdit =
          to === undefined
            ? { pointer: joinPointer(pointer, key), remove: true }
            : { pointer: joinPointer(pointer, key), value: to }
        if (maps.length === 0) continue
        text = editYaml(text, [edit])
        if (to === undefined) delete map[key]
        else map[key] = to
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected).replaceAll('${', '$${')))
      }
    }),
    { seed: 20_261_128, numRuns: isSoak ? 10_000 : 300 },
  )
})

test('new members of a map on several lines are on a line of their own', () => {
  const text = '{\n  "a": {\n    "b": 1\n  },\n  "c": [\n    "x"\n  ]\n}\n'
  const edits: YamlEdit[] = [
    { pointer: '/a/d', value: 'new text' },
    { pointer: '/c', value: ['y', 'x'], kept: [undefined, 0] },
  ]
  const expected =
    '{\n  "a": {\n    "b": 1,\n    "d": "new text"\n  },\n  "c": [\n    "y",\n    "x"\n  ]\n}\n'
  expect(editYaml(text, edits)).toBe(expected)
})
