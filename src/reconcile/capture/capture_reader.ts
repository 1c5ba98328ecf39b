import type { ExtensionsQuery } from '../../api/read_extensions.ts'
import type { Visibility, VisibilityQuery } from '../../api/read_visibility.ts'
import { problem } from '../../contract/problems.ts'
import { nameValues } from '../plan/data/lost_values.ts'
import { type ExtensionsReading, notCaptured, type PlanReader } from '../plan/plan_reader.ts'
import type { Capture, CapturedExtensions, CapturedVisibility } from './capture.ts'

/** Returns a reader that answers from a capture, without a connection. */
export function captureReader({ head, resources, end }: Capture): PlanReader {
  return {
    url: head.server,
    readTree: async (take) => {
      for (const resource of resources) take(resource)
      return head
    },
    readCatalog: async () => end.catalog,
    readVisibility: async (query) => findVisibility(end.visibility, query),
    readExtensions: async (query) => findExtensions(end.extensions, query),
    readContents: async () => end.contents ?? undefined,
    countFeatures: async (id) => end.features[id] ?? null,
    countValues: async (field) => end.values[nameValues(field)] ?? undefined,
    readUsers: async () => end.users ?? undefined,
    readPrincipals: async () => end.principals ?? undefined,
  }
}

function findExtensions(
  captured: readonly CapturedExtensions[] = [],
  { id, key }: ExtensionsQuery,
): ExtensionsReading {
  const found = captured.find((one) => one.id === id && (key === undefined || one.key === key))
  if (found === undefined) return notCaptured
  // As a server answers without a key.
  return key === undefined
    ? (found.features?.map((one) => ({ ...one, key: null, same: 1 })) ?? null)
    : found.features
}

// Absence from an incomplete capture does not prove that a resource does not exist.
function findVisibility(
  { keynames: asked, unreadable, creatable }: CapturedVisibility = {
    keynames: [],
    unreadable: [],
    creatable: {},
  },
  { keynames }: VisibilityQuery,
): Visibility {
  const known = new Set(asked)
  const unknown = keynames.find((keyname) => !known.has(keyname))
  if (unknown !== undefined && unreadable !== null) {
    const message = `The account of the capture cannot read all resources, and the capture does not tell whether "${unknown}" exists.`
    throw problem('plan/capture', message, { hint: 'Capture again with the paths of the manifest.' })
  }
  return {
    unreadable: unreadable === null ? undefined : new Set(unreadable),
    creatable: new Map(Object.entries(creatable).map(([id, classes]) => [Number(id), new Set(classes)])),
  }
}
