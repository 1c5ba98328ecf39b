import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'

/** Creates the Problem of a resource whose data have another version than a change is based on. */
export function staleData(id: number, version: number, wanted: number): Problem {
  const message = `The data of resource id = ${id} have version ${version}, not ${wanted}.`
  return problem('resource/stale', message, {
    resource: id,
    data: { resource: { id }, data_version: version },
  })
}
