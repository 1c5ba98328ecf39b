import type { SourceData } from '../../contract/descriptor.ts'
import { layerReferenceSystems } from '../../contract/geometry.ts'
import { reservedKeynames } from '../../contract/keyname.ts'
import { dataOf } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { findAtPointer, joinPointer, type Pointer } from '../../core/pointer.ts'
import { type Block, blockIssue } from '../manifest_block.ts'
import { showAt } from '../resolve_source.ts'

/** Checks a block of a class with source data for rules that its schema cannot express. */
export function checkLayer(block: Block): Issue[] {
  const { cls = '' } = block
  const data = dataOf(cls)
  if (data === undefined) return []
  const layer = { block, cls, data }
  return [...checkStructure(layer), ...checkSrs(layer), ...checkFieldNames(block), ...checkData(block)]
}

interface LayerBlock {
  readonly block: Block
  readonly cls: string
  readonly data: SourceData
}

function checkStructure({ block, cls, data: { structure = [], srs } }: LayerBlock): Issue[] {
  if (block.existing || block.value.data !== undefined) return []
  const missing = structure.filter((name) => findAtPointer(block.value, `/${cls}/${name}`) === undefined)
  if (missing.length === 0) return []
  return [
    blockIssue(block, {
      code: 'manifest/missing-field',
      pointer: block.value[cls] === undefined ? '' : `/${cls}`,
      message: `a layer without data: requires ${missing.map((name) => `${cls}.${name}`).join(' and ')}`,
      hint: `for example, ${cls}: { geometry_type: POINT, srs: { id: ${srs} } }`,
      at: 'key',
    }),
  ]
}

function checkSrs({ block, cls, data }: LayerBlock): Issue[] {
  const pointer: Pointer = `/${cls}/srs/id`
  const id = findAtPointer(block.value, pointer)
  if (typeof id !== 'number') return []
  const hasData = block.value.data !== undefined
  const allowed: readonly number[] = hasData ? [data.srs] : layerReferenceSystems
  if (allowed.includes(id)) return []
  const shown = showAt(block.source, block.pointer + pointer)
  return [
    blockIssue(block, {
      code: 'manifest/bad-value',
      pointer,
      message: `cannot store ${hasData ? 'layers with data:' : 'layers'} in EPSG:${shown}`,
      hint: hasData
        ? `leave srs out, or use ${data.srs}; data in other reference systems are reprojected`
        : `use ${allowed.join(' or ')}`,
    }),
  ]
}

function checkFieldNames(block: Block): Issue[] {
  const fields = findAtPointer(block.value, '/feature_layer/fields')
  if (!Array.isArray(fields)) return []
  return fields.flatMap((field: { keyname?: unknown } | null, index) => {
    if (typeof field?.keyname !== 'string' || !reservedKeynames.includes(field.keyname)) return []
    const pointer = joinPointer('/feature_layer/fields', index, 'keyname')
    return blockIssue(block, {
      code: 'manifest/bad-value',
      pointer,
      message: `the keyname ${showAt(block.source, block.pointer + pointer)} is reserved`,
      hint: 'choose another keyname: every feature already has id and geom',
    })
  })
}

function checkData(block: Block): Issue[] {
  const data = block.value.data as Readonly<Record<string, unknown>> | null | undefined
  if (data?.fid_source !== 'FIELD' || data.fid_field !== undefined) return []
  return [
    blockIssue(block, {
      code: 'manifest/missing-field',
      pointer: '/data',
      message: 'fid_source: FIELD requires fid_field, the field with the ids',
      at: 'key',
    }),
  ]
}
