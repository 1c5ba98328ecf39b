import type { RasterStatistics } from '../../../contract/bodies/raster.ts'
import type { Members } from '../../../contract/registry.ts'
import type { Queryable } from '../../../database/database.ts'
import { adoptRasters, findRasters, type Raster } from '../../../store/classes/raster_layer.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import type { BehaviourOf, MemberChange } from '../behaviour.ts'
import {
  checkReferenceSystem,
  isRasterSource,
  notPrepared,
  prepareRaster,
  rasterSource,
} from './raster_layer_source.ts'

/** Rasters stored by the server. */
export const rasterLayerBehaviour: BehaviourOf<'raster_layer'> = {
  async readMembers(tx, ids) {
    const rasters = await findRasters(tx, ids)
    return new Map([...rasters].map(([id, raster]) => [id, membersOf(raster)]))
  },
  prepare: prepareRaster,
  source: rasterSource,
  async create(tx, changes) {
    for (const { members, prepared } of changes) {
      checkReferenceSystem(members)
      if (!isRasterSource(prepared))
        throw invalidAt(
          '/raster_layer',
          'missing field "source"',
          'Upload a GeoTIFF, and set "source" to its upload.',
        )
    }
    await adopt(tx, changes)
  },
  async update(tx, changes) {
    for (const { members } of changes) checkReferenceSystem(members)
    await adopt(tx, changes)
  },
}

async function adopt(tx: Queryable, changes: readonly MemberChange<'raster_layer'>[]): Promise<void> {
  const prepared = new Map(
    changes.flatMap(({ id, prepared: source }) =>
      isRasterSource(source) ? [[id, source.preparedId] as const] : [],
    ),
  )
  const [lost] = await adoptRasters(tx, prepared)
  if (lost !== undefined)
    throw notPrepared(
      `prepared source ${JSON.stringify(prepared.get(lost))} was deleted or is used by another layer`,
    )
}

function membersOf(raster: Raster): Members<'raster_layer'> {
  const { srs, xsize, ysize, dtype, colorInterpretation, geoTransform, dataVersion, statistics } = raster
  return {
    raster_layer: {
      srs: { id: srs },
      xsize,
      ysize,
      band_count: colorInterpretation.length,
      dtype,
      color_interpretation: [...colorInterpretation],
      geo_transform: [...geoTransform],
      statistics: statistics?.map(shownStatistics) ?? null,
      data_version: dataVersion,
    },
  }
}

function shownStatistics({ min, max, mean, stdDev }: RasterStatistics) {
  return { min, max, mean, std_dev: stdDev }
}
