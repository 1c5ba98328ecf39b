import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editYaml } from '../../src/document/edit_yaml.ts'
import { formatYaml } from '../../src/document/format_yaml.ts'
import { parseYaml } from '../../src/document/parse_yaml.ts'
import { resolveValues } from '../../src/document/resolve_values.ts'
import { toValue } from '../../src/document/yaml_node.ts'

const run = { seed: 20_240_602, numRuns: process.env.LANDFORM_SOAK ? 30_000 : 500 }

const text = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '${env.A}',
    '$${',
    '$$${x',
    'a\n',
    'a\nb\n\n',
    '  lead\nline',
    '\n',
    'yes',
    '012',
    '# c',
    'a: b',
    '- x',
  ),
)
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
  fc.constant(null),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}))
const map = fc.dictionary(text, value, { minKeys: 1, maxKeys: 5 })

function readBack(written: string): unknown {
  const { documents, issues } = parseYaml('f', written)
  expect(issues, written).toEqual([])
  const [document] = documents
  if (document === undefined) throw new Error(`no document in ${written}`)
  const resolved = resolveValues(document, {})
  expect(resolved.issues, written).toEqual([])
  return resolved.value
}

const plain = (root: unknown): unknown => JSON.parse(JSON.stringify(root))

describe('formatYaml', () => {
  test('writes YAML that reads back equal, including expressions', () => {
    const law = fc.property(map, (root) => {
      expect(readBack(formatYaml(root))).toEqual(plain(root))
    })
    fc.assert(law, run)
  })
})

describe('editYaml', () => {
  const key = fc.constantFrom('a', 'b', 'c')

  test('sets one member and changes no other value', () => {
    const law = fc.property(map, key, value, (root, name, newValue) => {
      const before = { ...root, a: { b: 'x', c: [1] } }
      const edited = editYaml(formatYaml(before), [{ pointer: `/a/${name}`, value: newValue }])
      expect(readBack(edited)).toEqual(plain({ ...before, a: { ...before.a, [name]: newValue } }))
    })
    fc.assert(law, run)
  })

  test('removes members and changes no other value', () => {
    const law = fc.property(map, fc.subarray(['a', 'b', 'c']), (root, names) => {
      const before: Record<string, unknown> = { ...root, m: { a: 1, b: { d: 'x\ny\n' }, c: [2] } }
      const edits = names.map((name) => ({ pointer: `/m/${name}`, remove: true }) as const)
      const after = Object.fromEntries(
        Object.entries(before.m as object).filter(([name]) => !names.includes(name)),
      )
      const edited = parseYaml('f', editYaml(formatYaml(before), edits)).documents[0]
      const left = edited === undefined ? undefined : (toValue(edited.root) as { m: unknown }).m
      expect(left).toEqual(after)
    })
    fc.assert(law, run)
  })

  test('arranges the items of a list and changes no other value', () => {
    const items = fc.array(value, { minLength: 1, maxLength: 5 })
    const order = fc.array(fc.oneof(fc.nat(4), value), { maxLength: 6 })
    const law = fc.property(map, items, order, (root, list, wanted) => {
      const before: Record<string, unknown> = { ...root, list, tail: 1 }
      const places = [...new Set(wanted)].map((one) =>
        typeof one === 'number' && Number.isInteger(one) && one >= 0 && one < list.length
          ? one
          : { added: one },
      )
      const kept = places.map((place) => (typeof place === 'number' ? place : undefined))
      const next = places.map((place) => (typeof place === 'number' ? list[place] : place.added))
      const edited = editYaml(formatYaml(before), [{ pointer: '/list', value: next, kept }])
      expect(readBack(edited)).toEqual(plain({ ...before, list: next }))
    })
    fc.assert(law, run)
  })
})
