import fc from 'fast-check'
import { WebmapItemSchema } from '../../../src/contract/classes/webmap.ts'
import { annotationsOf, type Reference } from '../../../src/contract/descriptor.ts'
import { mentioning } from '../../../src/contract/map_value.ts'
import type { Schema } from '../../../src/contract/schema/schema.ts'

/** Keys of the resources that references may name, by class. */
export type Targets = ReadonlyMap<string, readonly string[]>

type Fields = Readonly<Record<string, unknown>>

const mentionsReference = mentioning(['x-ref'])

/** Number of groups inside each other in a layer tree. */
const maxDepth = 2

/**
 * A member of a resource as its schema describes it, with references to any of the targets. Where a base is given,
 * only its references are drawn.
 */
export function arbitraryMember(schema: Schema, targets: Targets, base?: unknown): fc.Arbitrary<unknown> {
  if (base === undefined) return freeValue(schema, targets, 0)
  if (Array.isArray(base)) {
    const { items = {} as Schema } = schema
    return fc.tuple(...base.map((item) => arbitraryMember(items, targets, item)))
  }
  const drawn = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    isWritable(field) && mentionsReference(field)
      ? [[name, arbitraryMember(field, targets, (base as Fields)[name])] as const]
      : [],
  )
  return fc.record(Object.fromEntries(drawn)).map((fields) => ({ ...(base as Fields), ...fields }))
}

function freeValue(schema: Schema, targets: Targets, depth: number): fc.Arbitrary<unknown> {
  const { 'x-ref': reference, 'x-form': form } = annotationsOf(schema)
  if (reference !== undefined) return fc.constantFrom(...keysFor(reference, targets))
  if (schema.$ref !== undefined) return freeValue(WebmapItemSchema as Schema, targets, depth + 1)
  if (form === 'scale') return fc.constantFrom(null, '1 : 500', '1 : 25000')
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return fc.oneof(...branches.map((one) => freeValue(one, targets, depth)))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  return freeOfType(schema, targets, depth)
}

function freeOfType(schema: Schema, targets: Targets, depth: number): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 50 } = schema as { readonly minimum?: number; readonly maximum?: number }
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 50) })
    case 'number':
      return fc.integer({ min: minimum * 10, max: maximum * 10 }).map((tenths) => tenths / 10)
    case 'string':
      return fc.constantFrom('Roads', 'a/b', '~x', 'quoted"', '0')
    case 'array':
      return freeList(schema, targets, depth)
    default:
      return freeObject(schema, targets, depth)
  }
}

function freeList(schema: Schema, targets: Targets, depth: number): fc.Arbitrary<unknown> {
  const { items = {} as Schema } = schema
  if (items.$ref !== undefined && depth > maxDepth) return fc.constant([])
  const key = annotationsOf(schema)['x-key'] ?? []
  const list = { maxLength: 4 }
  const item = freeValue(items, targets, depth) as fc.Arbitrary<Fields>
  if (key.length === 0) return fc.array(item, list)
  return fc.uniqueArray(item, { ...list, selector: (one) => key.map((name) => one[name]).join() })
}

function freeObject(schema: Schema, targets: Targets, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema as Schema & { readonly required?: readonly string[] }
  const fields = Object.entries(properties).filter(([, field]) => isWritable(field))
  return fc.record(
    Object.fromEntries(fields.map(([name, field]) => [name, freeValue(field, targets, depth)])),
    { requiredKeys: [...required], noNullPrototype: true },
  )
}

/** Whether manifests set a field. */
function isWritable(field: Schema): boolean {
  const { readOnly, writeOnly, 'x-wire': onWire } = annotationsOf(field)
  return !readOnly && !writeOnly && !onWire
}

function keysFor({ classes }: Reference, targets: Targets): string[] {
  return classes.flatMap((cls) => targets.get(cls) ?? [])
}
