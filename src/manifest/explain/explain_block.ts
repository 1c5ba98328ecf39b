import type { GeoserviceType } from '../../contract/catalog/catalog.ts'
import type { CatalogKind } from '../../contract/catalog/catalog_edit.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import type { PrincipalKind } from '../../contract/principal.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { isSecretName } from '../../contract/secrets.ts'
import { isObject } from '../../core/is_object.ts'
import { findAtPointer, joinPointer, type Pointer, splitPointer } from '../../core/pointer.ts'
import { readRecords } from '../catalog/record_block.ts'
import type { PlacedBlock } from '../manifest_block.ts'
import { readPrincipalBlocks } from '../principals/principal_block.ts'
import { readBlocks } from '../read_blocks.ts'
import type { ManifestSource } from '../resolve_source.ts'
import { findPlace, type NamedPlace } from './named_path.ts'
import { type Origin, traceValue } from './trace_value.ts'

/** A field of a block with its value and where that comes from. */
export interface ExplainedField {
  /** Pointer in the block: `/webmap/root_item`. */
  readonly pointer: Pointer
  /** The parts of the pointer, with the names of items instead of their indexes. */
  readonly names: readonly string[]
  /** Absent if the value is a secret. */
  readonly value?: unknown
  readonly isSecret: boolean
  /** Empty if the manifest omits the field, which then has its default. */
  readonly origins: readonly Origin[]
}

/** A block of a resource, or of a record, a user or a group, which have a kind. */
export interface ExplainedBlock extends PlacedBlock {
  readonly kind?: CatalogKind | PrincipalKind
  /** Only of geoservices. */
  readonly type?: GeoserviceType
}

/** A block that a name refers to, and the part of it that the name asks for. */
export interface NamedBlock extends NamedPlace {
  readonly block: ExplainedBlock
}

/**
 * Finds the blocks of all files that a name refers to: `roads`, `roads.vector_layer.srs`, or `roads.feature_layer.fields.lanes`, the
 * item of a list by its name in plans. Keys may contain dots.
 */
export function findNamedBlocks(sources: readonly ManifestSource[], name: string): NamedBlock[] {
  const blocks = sources.flatMap((source): ExplainedBlock[] => [
    ...readBlocks(source).blocks,
    ...readPrincipalBlocks(source).blocks,
    ...readRecords(source).blocks,
  ])
  const matching = blocks.filter(({ key }) => name === key || name.startsWith(`${key}.`))
  const length = Math.max(...matching.map(({ key }) => key.length))
  return matching
    .filter(({ key }) => key.length === length)
    .map((block) => ({ block, ...findPlace(block, splitPath(name.slice(block.key.length + 1))) }))
}

/** Lists the keys of all blocks. */
export function listKeys(sources: readonly ManifestSource[]): string[] {
  return sources.flatMap((source) =>
    [...readBlocks(source).blocks, ...readPrincipalBlocks(source).blocks, ...readRecords(source).blocks].map(
      ({ key }) => key,
    ),
  )
}

/** Splits `webmap.root_item.children[0]`. */
function splitPath(path: string): string[] {
  return path.split(/\.|\[(\d+)\]/).filter((token) => token !== undefined && token !== '')
}

/**
 * Explains the fields of a block below a pointer: those that are written, then those of its class that have a default.
 * Empty if there are none.
 */
export function explainBlock(
  { block, pointer }: NamedBlock,
  env: Readonly<Record<string, unknown>>,
): ExplainedField[] {
  const written = listWritten(block, pointer)
  const fields = written.map((at) => fieldOf(block, at, env))
  const omitted = listDefaults(block).filter(
    ([at]) => isWithin(at, pointer) && findAtPointer(block.value, at) === undefined,
  )
  return [
    ...fields,
    ...omitted.map(([at, value]) => ({
      ...{ pointer: at, names: splitPointer(at), value, isSecret: false, origins: [] },
    })),
  ]
}

const isWithin = (pointer: Pointer, outer: Pointer) => pointer === outer || pointer.startsWith(`${outer}/`)

function fieldOf(
  { value, source, pointer: base }: PlacedBlock,
  pointer: Pointer,
  env: Readonly<Record<string, unknown>>,
): ExplainedField {
  const isSecret = splitPointer(pointer).some(isSecretName)
  const origins = traceValue(source, base + pointer, env)
  const { names } = findPlace({ value }, splitPointer(pointer))
  return { pointer, names, isSecret, origins, ...(isSecret ? {} : { value: findAtPointer(value, pointer) }) }
}

/** Lists the written fields below a pointer: maps as their members, down to the fields of members; lists as a whole. */
function listWritten(block: PlacedBlock, pointer: Pointer): Pointer[] {
  const value = pointer === '' ? block.value : findAtPointer(block.value, pointer)
  if (value === undefined) return []
  const depth = Math.max(1, 2 - splitPointer(pointer).length)
  return pointer !== '' && !isObject(value) ? [pointer] : leavesOf(value, pointer, depth)
}

function leavesOf(value: unknown, pointer: Pointer, depth: number): Pointer[] {
  const isLeaf = depth === 0 || !isObject(value) || Object.keys(value).length === 0
  if (isLeaf) return [pointer]
  return Object.entries(value).flatMap(([name, part]) =>
    leavesOf(part, joinPointer(pointer, name), depth - 1),
  )
}

/** Lists the defaults of the class of a block, by pointer. */
function listDefaults({ value }: PlacedBlock): [Pointer, unknown][] {
  if (!isCls(value.cls) || value.existing === true) return []
  return Object.entries(descriptorOf(value.cls).members).flatMap(([member, { properties }]) =>
    Object.entries(properties as Readonly<Record<string, Schema>>).flatMap(
      ([name, schema]): [Pointer, unknown][] => {
        const words = annotationsOf(schema)
        const isShown =
          schema.default !== undefined && !words.readOnly && !words['x-wire'] && !words.writeOnly
        return isShown ? [[joinPointer('', member, name), schema.default]] : []
      },
    ),
  )
}
