import { isDeepStrictEqual } from 'node:util'
import type { ReadAttachment, ReadExtensions } from '../api/read_extensions.ts'
import { isObject } from '../core/is_object.ts'
import { joinPointer } from '../core/pointer.ts'
import type { WantedFeatures } from '../manifest/manifest.ts'
import { digestFile } from '../transfer/upload_file.ts'
import type { PropertyChange } from './compare_inputs.ts'
import { formatPropertyPath } from './property_path.ts'
import { unknownValue, type Values } from './property_values.ts'

/** An attachment in checked inputs: the digest of the content stands for the path, which differs between machines. */
interface CheckedAttachment {
  /** Path relative to the program, or an asset; absent for a file that only the server has. */
  readonly path?: unknown
  readonly name?: string
  readonly mime_type?: string
  readonly description?: string
  readonly digest?: string
}

/** `features` in checked inputs. */
interface CheckedFeatures {
  readonly key?: unknown
  readonly descriptions?: Readonly<Record<string, string>>
  readonly attachments?: Readonly<Record<string, readonly CheckedAttachment[]>>
}

/** Parts of `features` whose values have a name each. */
const parts = ['descriptions', 'attachments'] as const

const featuresOf = ({ features }: Values): CheckedFeatures | undefined =>
  isObject(features) ? features : undefined

/** Returns the parts of `features` that inputs set, without their content; undefined if they set none. */
export function listFeatureParts(inputs: Values): WantedFeatures | undefined {
  const given = featuresOf(inputs)
  if (given === undefined) return undefined
  const set = parts.filter((part) => given[part] !== undefined).map((part) => [part, new Map()] as const)
  return { key: String(given.key), ...Object.fromEntries(set) }
}

/** Returns `features` of inputs as a manifest writes it; `entryOf` writes an attachment. */
export function featuresBlock(inputs: Values, entryOf: (attachment: unknown) => unknown): Values {
  const { features } = inputs
  if (!isObject(features)) return features === undefined ? {} : { features }
  const { attachments } = features
  if (!isObject(attachments)) return { features }
  const lists = Object.entries(attachments).map(([key, list]) => [
    key,
    Array.isArray(list) ? list.map(entryOf) : list,
  ])
  return { features: { ...features, attachments: Object.fromEntries(lists) } }
}

/** Writes descriptions and attachments in full, with the digests of the files. */
export async function completeFeatures(
  { key, descriptions, attachments }: WantedFeatures,
  sourceOf: (path: string) => unknown,
): Promise<Values> {
  const lists = [...(attachments ?? [])].map(async ([feature, list]) => {
    const completed = list.map(async ({ path, name, mimeType, description }): Promise<CheckedAttachment> => {
      const { sha256: digest } = await digestFile(path)
      return {
        ...{ path: sourceOf(path), name, digest },
        ...(mimeType === undefined ? {} : { mime_type: mimeType }),
        ...(description === undefined ? {} : { description }),
      }
    })
    return [feature, await Promise.all(completed)] as const
  })
  const features = {
    key,
    ...(descriptions === undefined ? {} : { descriptions: Object.fromEntries(descriptions) }),
    ...(attachments === undefined ? {} : { attachments: Object.fromEntries(await Promise.all(lists)) }),
  }
  return { features }
}

/** Compares descriptions and attachments of inputs with earlier ones, by the key of the feature. */
export function compareFeatureInputs(olds: Values, news: Values): PropertyChange[] {
  const [before, after] = [featuresOf(olds), featuresOf(news)]
  if (news.features === unknownValue) return []
  if (before === undefined || after === undefined) {
    if (before === after) return []
    return [{ path: 'features', kind: after === undefined ? 'delete' : 'add', replaces: false }]
  }
  const key = before.key === after.key ? [] : [changeAt(['key'], before.key, after.key)]
  return [...key, ...parts.flatMap((part) => comparePart(part, before, after))]
}

function comparePart(
  part: (typeof parts)[number],
  before: CheckedFeatures,
  after: CheckedFeatures,
): PropertyChange[] {
  const [from, to] = [before[part], after[part]]
  if (!isObject(from) || !isObject(to)) return from === to ? [] : [changeAt([part], from, to)]
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...names].flatMap((name) => {
    const [old, given] = [from[name], to[name]]
    return isDeepStrictEqual(contentOf(old), contentOf(given)) ? [] : [changeAt([part, name], old, given)]
  })
}

function changeAt(tokens: readonly string[], from: unknown, to: unknown): PropertyChange {
  const path = formatPropertyPath(joinPointer('/features', ...tokens))
  if (from === undefined) return { path, kind: 'add', replaces: false }
  return { path, kind: to === undefined ? 'delete' : 'update', replaces: false }
}

/** Returns what is compared of a description or a list of attachments; no list is the same as an empty one. */
function contentOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  if (value.length === 0) return undefined
  const facts = value.map((one: unknown) =>
    isObject(one) && one.digest !== undefined ? withoutPath(one) : one,
  )
  return facts.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const withoutPath = ({ path: _, ...rest }: Values) => rest

const nameOf = (one: unknown) => (isObject(one) ? String(one.name) : '')

/** Projects the descriptions and attachments of a server on earlier inputs; the same inputs if the server has the same. */
export function projectFeatures(inputs: Values, there: readonly ReadExtensions[]): Values {
  const given = featuresOf(inputs)
  if (given === undefined) return inputs
  const { descriptions, attachments } = given
  const texts = there.flatMap((one) =>
    one.description === null ? [] : [[keyOf(one), one.description] as const],
  )
  const files = there.flatMap((one) => {
    const known = attachments?.[keyOf(one)] ?? []
    const list = one.attachments.map((file) => projectAttachment(known, file))
    return list.length === 0 ? [] : [[keyOf(one), list] as const]
  })
  const found: CheckedFeatures = {
    ...given,
    ...(descriptions === undefined ? {} : { descriptions: Object.fromEntries(texts) }),
    ...(attachments === undefined ? {} : { attachments: Object.fromEntries(files) }),
  }
  const isSame = parts.every((part) => comparePart(part, given, found).length === 0)
  return isSame ? inputs : { ...inputs, features: found }
}

/** Features without a key of their own are named by their id. */
const keyOf = ({ key, same, id }: ReadExtensions) => (key === null || same > 1 ? `#${id}` : key)

function projectAttachment(known: readonly CheckedAttachment[], file: ReadAttachment): CheckedAttachment {
  const { name, digest, mime_type, description } = file
  const old = known.find((one) => one.name === name)
  return {
    ...(old?.path === undefined ? {} : { path: old.path }),
    ...{ name, digest },
    ...(old?.mime_type === undefined ? {} : { mime_type }),
    ...(old?.description === undefined ? {} : { description: description ?? '' }),
  }
}
