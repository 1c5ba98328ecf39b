import type { Queryable } from '../../database/database.ts'
import type { MemberRow } from '../../store/classes/member_table.ts'
import { findTakenDevices } from '../../store/classes/tracker.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { rowBehaviour } from './row.ts'

/** Devices that report their positions. */
export const trackerBehaviour = rowBehaviour({ cls: 'tracker', check: checkDevices })

/** Rejects a device that another tracker has, so that each reported position belongs to one tracker. */
async function checkDevices(tx: Queryable, rows: ReadonlyMap<number, MemberRow<'tracker'>>): Promise<void> {
  const devices = [...rows.values()].map((row) => row.unique_id)
  const taken = await findTakenDevices(tx, { devices, ids: [...rows.keys()] })
  for (const device of devices) {
    if (taken.has(device))
      throw invalidAt('/tracker/unique_id', `another tracker has the device ${JSON.stringify(device)}`)
    taken.add(device)
  }
}
