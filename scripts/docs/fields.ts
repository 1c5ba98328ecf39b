import { annotationsOf } from '../../src/contract/descriptor.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { formatCode, formatCodes, formatTable } from './markdown.ts'

/** A schema with the words that the reference shows. */
type ShownSchema = Schema & {
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** A field with its path in its member: `basemaps[].opacity`. */
interface Field {
  readonly path: string
  readonly schema: ShownSchema
  readonly isRequired: boolean
}

/** Prints the fields of an object as a table. */
export function printFields(schema: Schema): string {
  return formatTable(
    ['Field', 'Type', 'Default', 'Meaning', 'Notes'],
    listFields(schema, '').map((field) => [
      formatCode(field.path),
      typeOf(field.schema),
      field.schema.default === undefined ? '' : formatCode(JSON.stringify(field.schema.default)),
      field.schema.description ?? '',
      notesOf(field).join('; '),
    ]),
  )
}

function listFields(schema: Schema, path: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`
    const isRequired = ((schema as { required?: readonly string[] }).required ?? []).includes(name)
    return [{ path: at, schema: property as ShownSchema, isRequired }, ...listNested(property, at)]
  })
}

/** Lists the fields of an object in a field, unless it only names a resource or a user. */
function listNested(schema: Schema, path: string): Field[] {
  const words = annotationsOf(schema)
  if (words['x-ref'] || words['x-principal']) return []
  if (schema.items !== undefined) return listNested(schema.items, `${path}[]`)
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (branches.length > 0) return branches.flatMap((branch) => listNested(branch, path))
  return listFields(schema, path)
}

/** Describes the type of a value in words. */
export function typeOf(schema: ShownSchema): string {
  const { 'x-ref': reference, 'x-principal': principal } = annotationsOf(schema)
  if (reference !== undefined) return `resource: ${formatClasses(reference.classes)}`
  if (principal) return 'user or group'
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'object'
  if (schema.enum !== undefined) return formatCodes(schema.enum.map((word) => JSON.stringify(word)))
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (branches.length > 0)
    return [...new Set(branches.map((branch) => typeOf(branch as ShownSchema)))].join(' or ')
  if (schema.items !== undefined && schema.type === 'array')
    return `list of ${typeOf(schema.items as ShownSchema)}${atMost(schema.maxItems, 'items')}`
  const [values] = Object.values(schema.patternProperties ?? {})
  if (values !== undefined)
    return `map to ${typeOf(values as ShownSchema)}${atMost(schema.maxProperties, 'keys')}`
  const type = schema.type === undefined ? 'any value' : [schema.type].flat().join(' or ')
  return `${type}${rangeOf(schema)}${atMost(schema.maxLength, 'characters')}`
}

function formatClasses(classes: readonly string[]): string {
  const names = classes.filter((name) => name !== '*')
  return names.length < classes.length ? 'any class' : formatCodes(names)
}

function rangeOf({ minimum, maximum }: ShownSchema): string {
  if (minimum === undefined && maximum === undefined) return ''
  if (maximum === undefined) return `, at least ${minimum}`
  return minimum === undefined ? `, at most ${maximum}` : `, ${minimum} to ${maximum}`
}

function atMost(limit: number | undefined, unit: string): string {
  return limit === undefined ? '' : `, at most ${limit.toLocaleString('en')} ${unit}`
}

function notesOf({ schema, isRequired }: Field): string[] {
  const words = annotationsOf(schema)
  const notes = {
    required: isRequired,
    'read-only': words.readOnly === true,
    'write-only': words.writeOnly === true,
    secret: words['x-secret'] === true,
    'API only': words['x-wire'] === true,
    'landform only': words['x-extension'] === true,
    'items are renamed with `was:` in manifests': words['x-was'] === true,
    [`sorted by ${formatCode(String(words['x-order']))}`]: words['x-order'] !== undefined,
    fixed: words['x-replace'] !== undefined,
    [`loses data: ${words['x-data']}`]: words['x-data'] !== undefined,
    [`default: the value of ${formatCode(String(words['x-default-from']))}`]:
      words['x-default-from'] !== undefined,
    [`read: ${formatCode(String(words['x-read']))}`]: words['x-read'] !== undefined,
    [`write: ${formatCode(String(words['x-write']))}`]:
      words['x-write'] !== undefined && words.readOnly !== true,
  }
  return Object.entries(notes).flatMap(([note, holds]) => (holds ? [note] : []))
}
