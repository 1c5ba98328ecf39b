import type { ResourceRow } from '../../store/resource/resource_row.ts'
import type { MemberValues } from './attributes.ts'

/** A resource as stored, independent of the caller. */
export interface StoredResource {
  readonly row: ResourceRow
  /** Members of the class. */
  readonly members: MemberValues
}
