import type { CatalogReading } from '../../api/read_catalog.ts'
import type { ResourceContents } from '../../api/read_contents.ts'
import type { ExtensionsQuery, ReadExtensions } from '../../api/read_extensions.ts'
import type { PrincipalRecords } from '../../api/read_principals.ts'
import type { TreeHead } from '../../api/read_tree.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import { isObject } from '../../core/is_object.ts'
import type { GroupMember } from '../access/access_subjects.ts'

/** Version of the file format, incremented with each incompatible change. */
export const captureVersion = 1

/** First line of a capture. */
export interface CaptureHead extends TreeHead {
  readonly landform_capture: number
  /** URL of the server. */
  readonly server: string
  /** Time of the read, in ISO 8601. */
  readonly captured_at: string
}

/** Last line of a capture. */
export interface CaptureEnd {
  readonly end: true
  /** Number of lines with resources. */
  readonly resources: number
  readonly catalog: CatalogReading
  /** Users with their groups; null if the account cannot read them. */
  readonly users: readonly GroupMember[] | null
  /** Users and groups; null if the account cannot read them, absent in files of older versions. */
  readonly principals?: PrincipalRecords | null
  /** Number of features by id of the layer; null if the server cannot count them. */
  readonly features: Readonly<Record<string, number | null>>
  /** Number of values by `id/keyname` of the field; null if the server cannot count them; absent if not counted. */
  readonly values: Readonly<Record<string, number | null>>
  /** What the resources hold and who changed them last; null if the server does not tell, absent in files of older versions. */
  readonly contents?: readonly ResourceContents[] | null
  /** Descriptions and attachments of features of the layers of the named manifests; absent in files of older versions. */
  readonly extensions?: readonly CapturedExtensions[]
  /** What the account can see and create; absent if it can read all resources. */
  readonly visibility?: CapturedVisibility
}

/** Descriptions and attachments of the features of a layer. */
export interface CapturedExtensions extends ExtensionsQuery {
  /** Null if the account cannot read them. */
  readonly features: readonly ReadExtensions[] | null
}

/** What an account that cannot read all resources can see and create. */
export interface CapturedVisibility {
  /** Keynames whose visibility was requested. */
  readonly keynames: readonly string[]
  /** Those that exist and are not readable; null if the server does not report them. */
  readonly unreadable: readonly string[] | null
  /** Classes that the account may create, by id of the parent. */
  readonly creatable: Readonly<Record<string, readonly string[]>>
}

/** All that plans read from a server. Plain data, without secrets. */
export interface Capture {
  readonly head: CaptureHead
  readonly resources: readonly Representation[]
  readonly end: CaptureEnd
}

/** Stands for a secret that the server has. */
const withheld = '(secret)'

/**
 * Removes what a capture must not contain: the values of secrets, and members outside of the contract, which may have
 * secrets that the contract does not know.
 */
export function withoutSecrets(wire: Representation): Representation {
  const { resource, resmeta, ...members } = wire as unknown as Readonly<Record<string, unknown>>
  const { cls } = wire.resource
  const known = isCls(cls) ? descriptorOf(cls).members : {}
  const kept = Object.entries(members).flatMap(([name, member]) => {
    const schema = known[name]
    if (schema === undefined || !isObject(member)) return []
    const fields = Object.entries(member).map(([field, value]) => {
      const words = schema.properties[field]
      const isSecret = words !== undefined && annotationsOf(words)['x-secret'] === true
      return [field, isSecret && value !== null ? withheld : value] as const
    })
    return [[name, Object.fromEntries(fields)] as const]
  })
  const rest = resmeta === undefined ? {} : { resmeta }
  return { resource, ...rest, ...Object.fromEntries(kept) } as unknown as Representation
}
