import { markerKeys } from '../../contract/markers.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import type { Change, WantedBody } from '../model/change.ts'

/**
 * Adds the data that the server kept to a change: it restores their fields, too, which the request then sets by their keynames.
 */
export function withRestore(change: Change, { cls, restores, members }: WantedResource): Change {
  if (restores === undefined || cls === undefined) return change
  const fields = members.feature_layer?.fields
  const items = change.body.resmeta?.items as Readonly<Record<string, unknown>> | undefined
  const body: WantedBody = {
    ...change.body,
    ...(fields === undefined ? {} : { feature_layer: { fields } }),
    [cls]: { ...change.body[cls], source: { kept: restores.kept } },
    ...(restores.source === null && change.id === undefined
      ? {}
      : { resmeta: { items: { ...items, [markerKeys.source]: restores.source } } }),
  }
  return { ...change, body, restores }
}
