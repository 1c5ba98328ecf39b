import { expect, test } from 'vitest'
import { nullable, oneOf } from '../../src/contract/descriptor.ts'
import { mapValue, mentioning, parts, pointerAt } from '../../src/contract/map_value.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { Type } from '../../src/contract/schema/type.ts'

const Shape = Type.Union([
  Type.Object({ kind: oneOf(['circle']), radius: Type.Number({ 'x-secret': true }) }),
  Type.Object({ kind: oneOf(['text']), radius: Type.String() }),
])
const Drawing = Type.Object({
  shapes: nullable(Type.Array(Shape)),
  labels: Type.Record(Type.String(), Type.String({ 'x-secret': true })),
}) as unknown as Schema

const drawing = {
  shapes: [{ kind: 'circle', radius: 5 }, { kind: 'text', radius: '5' }, null],
  labels: { a: 'x', 'b/c': 'y' },
  other: { radius: 5 },
}

test('visits unions, lists, objects and records, and passes the location', () => {
  const met: [string, unknown][] = []
  const mapped = mapValue(Drawing, drawing, {
    replace: (words, value, place) => {
      if (!words['x-secret']) return parts
      met.push([pointerAt(place), value])
      return '***'
    },
  })
  expect(mapped).toEqual({
    shapes: [{ kind: 'circle', radius: '***' }, { kind: 'text', radius: '5' }, null],
    labels: { a: '***', 'b/c': '***' },
    other: { radius: 5 },
  })
  expect(met).toEqual([
    ['/shapes/0/radius', 5],
    ['/labels/a', 'x'],
    ['/labels/b~1c', 'y'],
  ])
  expect(drawing.shapes[0]).toEqual({ kind: 'circle', radius: 5 })
})

test('shares unaffected values, and visits only the given members', () => {
  const concerns = mentioning(['x-secret'])
  expect(concerns(Type.Object({ a: Type.String() }) as Schema)).toBe(false)
  expect(concerns(Drawing)).toBe(true)
  const plain = { a: 'b' }
  const replace = () => parts
  const schema = Type.Object({ a: Type.String() }) as Schema
  expect(mapValue(schema, plain, { concerns, replace })).toBe(plain)
  expect(mapValue(schema, plain, { replace, members: () => ({ c: 1 }) })).toEqual({ c: 1 })
})
