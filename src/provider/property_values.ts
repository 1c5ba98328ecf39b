import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { isObject } from '../core/is_object.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'

/** Stands for a value that is known only after other resources are created. */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

/** Key of the objects that are secrets, assets and other special values on the wire. */
export const signatureKey = '4dabf18193072939515e22adb298388d'

/** Values of the signature key. */
export const signatures = {
  secret: '1b47061264138c4ac30d75fd1eb44270',
  asset: 'c44067f5952c0a294b673a41bacd8c17',
  archive: '0def7320c3a5731c473e5ecbe6d01bc7',
  resource: '5cf8f73096256a8f31e491e813e4eb8e',
  output: 'd0e6a833031e9bbcd3f4e8bde6ca49a4',
} as const

/** Values of properties, by name. */
export type Values = Readonly<Record<string, unknown>>

/** Properties of a resource, and where their special values are. */
export interface Properties {
  /** Plain values: secrets and outputs are unwrapped, unknown values are `unknownValue`, assets keep their signature. */
  readonly values: Values
  readonly secrets: readonly Pointer[]
  readonly unknowns: readonly Pointer[]
}

/** Reads properties from the wire; absent properties are empty. */
export function readProperties(wire: struct.Struct | undefined): Properties {
  return unwrapProperties(wire?.toJavaScript() ?? {})
}

/** Unwraps the special values of properties. */
export function unwrapProperties(wire: Values): Properties {
  const found = { secrets: [] as Pointer[], unknowns: [] as Pointer[] }
  const values = unwrap(wire, '', found) as Values
  return { values, ...found }
}

interface Found {
  readonly secrets: Pointer[]
  readonly unknowns: Pointer[]
}

function unwrap(value: unknown, pointer: Pointer, found: Found): unknown {
  if (value === unknownValue) {
    found.unknowns.push(pointer)
    return value
  }
  if (Array.isArray(value)) return value.map((item, at) => unwrap(item, joinPointer(pointer, at), found))
  if (!isObject(value)) return value
  const signature = value[signatureKey]
  if (signature === signatures.secret) {
    found.secrets.push(pointer)
    return unwrap(value.value, pointer, found)
  }
  if (signature === signatures.output) return unwrapOutput(value, pointer, found)
  if (signature === signatures.resource) return unwrap(value.id ?? value.urn, pointer, found)
  if (signature === signatures.asset || signature === signatures.archive) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, unwrap(part, joinPointer(pointer, name), found)]),
  )
}

function unwrapOutput(output: Values, pointer: Pointer, found: Found): unknown {
  if (output.secret === true) found.secrets.push(pointer)
  return unwrap(Object.hasOwn(output, 'value') ? output.value : unknownValue, pointer, found)
}

/** Writes properties to the wire. Values at the pointers become secrets; pointers without a value are ignored. */
export function writeProperties(values: Values, secrets: readonly Pointer[] = []): struct.Struct {
  return struct.Struct.fromJavaScript(wrapSecrets(values, secrets) as Record<string, struct.JavaScriptValue>)
}

/** Wraps the values at the pointers as secrets. */
export function wrapSecrets(values: Values, secrets: readonly Pointer[]): Values {
  const marked = new Set(secrets.filter((pointer) => pointer !== ''))
  return wrap(values, '', marked) as Values
}

function wrap(value: unknown, pointer: Pointer, secrets: ReadonlySet<Pointer>): unknown {
  const inner = wrapParts(value, pointer, secrets)
  return secrets.has(pointer) ? { [signatureKey]: signatures.secret, value: inner } : inner
}

function wrapParts(value: unknown, pointer: Pointer, secrets: ReadonlySet<Pointer>): unknown {
  if (Array.isArray(value)) return value.map((item, at) => wrap(item, joinPointer(pointer, at), secrets))
  if (!isObject(value) || Object.hasOwn(value, signatureKey)) return value
  const known = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(
    known.map(([name, part]) => [name, wrap(part, joinPointer(pointer, name), secrets)]),
  )
}
