import { annotationsOf } from '../../contract/descriptor.ts'
import { findSchemaFor, type Schema } from '../../contract/schema.ts'
import { writeScale } from '../../contract/translate.ts'
import { canonicalXml } from '../../style/canonical_xml.ts'

/**
 * Brings a value into the one form in which equal means same: defaults filled in, scales and XML in one spelling,
 * members left out that only the server or only requests have. References must be in the words of a manifest already.
 */
export function canonical(schema: Schema, value: unknown): unknown {
  if (value === undefined || value === null) return value
  const outer = annotationsOf(schema)
  const fitting = outer['x-form'] ? schema : (findSchemaFor(schema, value) ?? schema)
  const words = annotationsOf(fitting)
  if (words['x-form'] !== undefined) return canonicalText(words['x-form'], value)
  if (outer['x-ref'] || words['x-ref'] || words['x-principal']) return value
  if (Array.isArray(value)) {
    const { items } = fitting
    return items === undefined ? value : value.map((item) => canonical(items, item))
  }
  return typeof value === 'object' ? canonicalObject(fitting, value as Record<string, unknown>) : value
}

function canonicalText(form: 'scale' | 'xml', value: unknown): unknown {
  if (form === 'scale') return writeScale(value)
  return typeof value === 'string' ? canonicalXml(value) : value
}

function canonicalObject({ properties }: Schema, value: Readonly<Record<string, unknown>>): unknown {
  if (properties === undefined) return value
  const fields: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (!isCompared(schema)) continue
    const given = value[name] ?? value[annotationsOf(schema)['x-default-from'] ?? ''] ?? schema.default
    const field = value[name] === null && schema.default === undefined ? null : canonical(schema, given)
    if (field !== undefined) fields[name] = field
  }
  return fields
}

/** Tells whether a field can be compared: it can be both written and read, and has no way of its own. */
export function isCompared(schema: Schema): boolean {
  const words = annotationsOf(schema)
  return !(words.readOnly || words.writeOnly || words['x-wire'] || words['x-secret'])
}
