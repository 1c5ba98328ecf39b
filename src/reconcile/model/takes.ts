/** Resources and features that a deletion removes. */
export interface Takes {
  /** Number of descendants. */
  readonly resources: number
  /** The descendants; absent if there are none. */
  readonly below?: readonly TakenResource[]
  /** Labels of descendants that this manifest does not manage. */
  readonly unmanaged: readonly string[]
  /** Number of features in the deleted layers; undefined if the server cannot count them. */
  readonly features: number | undefined
  /** Number of files of deleted resources; absent if they have none. */
  readonly files?: number
  /** Number of files attached to deleted features; absent if they have none, or if it is unknown. */
  readonly attachments?: number
  /** Storage of features, files and styles; absent if unknown. */
  readonly bytes?: number
  /** The latest change of the deleted resources and their data; absent if unknown. */
  readonly changed?: LastChange
  /** Resources that refer to deleted ones, managed or not. */
  readonly referrers?: readonly Referrer[]
}

/** A resource that is deleted with one above it, and what it holds; what is unknown or 0 is absent. */
export interface TakenResource {
  readonly id: number
  /** Keyname or `#id`. */
  readonly key: string
  readonly cls: string
  readonly display_name: string
  readonly features?: number
  readonly files?: number
  readonly attachments?: number
  readonly bytes?: number
}

/** The last change of a resource. */
export interface LastChange {
  /** Label of the resource. */
  readonly key: string
  /** UTC, ISO 8601 without time zone. */
  readonly at: string
  /** Keyname of the user; null if unknown. */
  readonly by: string | null
}

/** A resource that refers to a deleted one. */
export interface Referrer {
  /** Absent for records of the catalog. */
  readonly id?: number
  /** Keyname or `#id`. */
  readonly key: string
  readonly cls: string
  /** Display names from the root to the resource. */
  readonly path: readonly string[]
  /** Names of its entries or fields with the reference, which are deleted or set to null. */
  readonly loses: readonly string[]
  /** Whether it blocks the deletion. */
  readonly refuses: boolean
}

/** A resource that a deletion deletes. */
export interface Deletion {
  readonly id: number
  /** Keyname or `#id`. */
  readonly key: string
  /** Version of the data during planning; absent for resources without data. */
  readonly dataVersion?: number
}
