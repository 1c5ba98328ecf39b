import type { Static } from 'typebox'
import type { Field } from '../../../contract/classes/feature_layer.ts'
import { vectorLayer } from '../../../contract/classes/vector_layer.ts'
import { geometryParts } from '../../../contract/geometry.ts'
import { problem } from '../../../contract/problems.ts'
import { loadRulesOf } from '../../../gdal/import/load_rules.ts'
import type { WantedFields } from '../../../gdal/runner/vector_job.ts'
import { type Staged, stageSource } from '../../../import/stage_source.ts'
import { findLayers, type LayerField } from '../../../store/layer/stored_layer.ts'
import { findPreparedSource } from '../../../store/upload/prepared_source.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import { getUpload } from '../../upload/upload_text.ts'
import type { Preparation, Prepared } from '../behaviour.ts'

type Own = Partial<Static<(typeof vectorLayer)['members']['vector_layer']>>

/** Features that were staged before the transaction of the request. */
export interface StagedSource extends Prepared {
  readonly staged: Staged
}

/** Tells whether what was prepared for a request is staged features. */
export function isStagedSource(prepared: unknown): prepared is StagedSource {
  return typeof prepared === 'object' && prepared !== null && 'staged' in prepared
}

/** Reference system of new layers; existing layers keep theirs. */
const { srs: importSrs } = vectorLayer.data

/** Reads the source of a request into a staging table; undefined if the request has none. */
export async function prepareSource(
  preparation: Preparation<'vector_layer'>,
): Promise<StagedSource | undefined> {
  const { context, id, members, signal } = preparation
  const own = members.vector_layer
  if (own?.source === undefined) return undefined
  const { id: uploadId, prepared } = own.source
  if (prepared !== undefined) return takePrepared(preparation, prepared)
  if (uploadId === undefined)
    throw invalidAt('/vector_layer/source', 'expected the id of an upload, or "prepared"')
  const layer = id === undefined ? undefined : (await findLayers(context.database, [id])).get(id)
  if (layer === undefined && (own.srs?.id ?? importSrs) !== importSrs) {
    throw invalidAt(
      '/vector_layer/srs/id',
      `layers created from a source are in EPSG:${importSrs}, not EPSG:${own.srs?.id}`,
    )
  }
  const rules = loadRulesOf(own, layer === undefined ? undefined : geometryParts(layer.geometryType))
  if (rules.idSource === 'FIELD' && rules.idFields.length === 0)
    throw invalidAt('/vector_layer/fid_field', 'fid_source FIELD requires fid_field')
  const { path, name } = await findFile(own, preparation)
  const declared = declaredFields(members.feature_layer?.fields, layer?.fields)
  const source = {
    ...rules,
    path,
    name,
    encoding: own.source.encoding,
    layer: own.source_layer,
    srs: layer?.srs ?? importSrs,
    keepFields: own.keep_fields === true ? layer?.fields.map(withDatatype(declared)) : undefined,
    declared,
  }
  const { log, loads, uploadLimitBytes } = context
  const limits = { unpackLimitBytes: 4 * uploadLimitBytes, signal }
  const staged = await loads.follow({ uploadId, log }, (onProgress) =>
    stageSource(source, { ...context, ...limits, onProgress }),
  )
  log.info({ resource: id, ...staged.report }, 'source read')
  return { staged, discard: staged.discard }
}

/**
 * Returns the fields whose datatype the request declares. Values are checked against it while read, and faults reported.
 * A field that the request renames has its former keyname in the source.
 */
function declaredFields(
  fields: readonly Field[] | undefined,
  current: readonly LayerField[] = [],
): WantedFields['fields'] | undefined {
  const names = new Map(current.map(({ id, keyname }) => [id, keyname]))
  const typed = fields?.flatMap(({ id, keyname, datatype, delete: isDropped }) => {
    if (datatype === undefined || isDropped === true) return []
    const name = (id === undefined ? undefined : names.get(id)) ?? keyname
    return name === undefined ? [] : [{ keyname: name, datatype }]
  })
  return typed === undefined || typed.length === 0 ? undefined : typed
}

/** Returns a function that gives a field of a layer its declared datatype. */
function withDatatype(declared: WantedFields['fields'] | undefined): (field: LayerField) => LayerField {
  const datatypes = new Map(declared?.map(({ keyname, datatype }) => [keyname, datatype]))
  return (field) => ({ ...field, datatype: datatypes.get(field.keyname) ?? field.datatype })
}

/** Finds features prepared by an earlier request. They are deleted when a layer uses them, or after a day. */
async function takePrepared(
  { context, caller, id }: Preparation<'vector_layer'>,
  prepared: string,
): Promise<StagedSource> {
  const found = await findPreparedSource(context.database, { id: prepared, userId: caller.id })
  const details = { data: { location: ['body', '/vector_layer/source/prepared'] } }
  if (found === undefined)
    throw problem(
      'source/not-prepared',
      `prepared source ${JSON.stringify(prepared)} does not exist`,
      details,
    )
  if (found.layerId !== (id ?? null)) {
    const target = found.layerId === null ? 'a new layer' : `layer ${found.layerId}`
    throw problem('source/not-prepared', `the source was prepared for ${target}`, details)
  }
  const discard = async () => undefined
  return { staged: { ...(found.staged as Staged), tableName: found.tableName, discard }, discard }
}

async function findFile(
  { source }: Own,
  { context: { database, blobs }, caller }: Pick<Preparation<'vector_layer'>, 'context' | 'caller'>,
): Promise<{ path: string; name: string }> {
  const named = { id: source?.id ?? '', pointer: '/vector_layer/source' }
  const upload = await getUpload(database, { ...named, userId: caller.id })
  return { path: await blobs.localPath(upload.digest), name: source?.name ?? upload.name ?? '' }
}
