import type { Queryable } from '../../database/database.ts'

/** A layer that a WMS or WFS service publishes. */
export interface ServiceLayer {
  readonly keyname: string
  readonly displayName: string
  /** The style or layer. */
  readonly resourceId: number
  readonly minScaleDenom: number | null
  readonly maxScaleDenom: number | null
  readonly maxFeatures: number | null
}

/** Reads the published layers in order, by the id of the service; omits services without layers. */
export async function findServiceLayers(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, ServiceLayer[]>> {
  const rows = await tx.query<ServiceLayer & { readonly serviceId: number }>(
    `select service_id as "serviceId", keyname, display_name as "displayName", resource_id as "resourceId",
            min_scale_denom as "minScaleDenom", max_scale_denom as "maxScaleDenom", maxfeatures as "maxFeatures"
       from service_layer where service_id = any($1::int[]) order by service_id, position`,
    [ids],
  )
  return Map.groupBy(rows, ({ serviceId }) => serviceId)
}

/** Replaces the published layers of services, by the id of the service. */
export async function replaceServiceLayers(
  tx: Queryable,
  services: ReadonlyMap<number, readonly ServiceLayer[]>,
): Promise<void> {
  if (services.size === 0) return
  await tx.query('delete from service_layer where service_id = any($1::int[])', [[...services.keys()]])
  const rows = [...services].flatMap(([serviceId, layers]) =>
    layers.map((layer, position) => ({ ...layer, serviceId, position })),
  )
  if (rows.length === 0) return
  await tx.query(
    `insert into service_layer (service_id, position, keyname, display_name, resource_id, min_scale_denom,
                                max_scale_denom, maxfeatures)
     select "serviceId", position, keyname, "displayName", "resourceId", "minScaleDenom", "maxScaleDenom",
            "maxFeatures"
       from json_to_recordset($1::text::json) as r (
         "serviceId" int, position int, keyname text, "displayName" text, "resourceId" int, "minScaleDenom" float8,
         "maxScaleDenom" float8, "maxFeatures" int)`,
    [JSON.stringify(rows)],
  )
}
