import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { Database } from '../../database/database.ts'
import { type FrameSystem, findFrameSystem } from '../../render/image/frame_system.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'

const systems = new WeakMap<Database, Map<number, Promise<FrameSystem | undefined>>>()

/** Returns a reference system of images; read once from each database, where they do not change. */
export function findImageSystem(database: Database, srs: number): Promise<FrameSystem | undefined> {
  const known = systems.get(database) ?? new Map<number, Promise<FrameSystem | undefined>>()
  systems.set(database, known)
  const found = known.get(srs) ?? findFrameSystem(database, srs)
  known.set(srs, found)
  found.catch(() => known.delete(srs))
  return found
}

/** Reports whether an image extends beyond its reference system, by the error of the database. */
export function isOutside(error: unknown, { system }: ImageFrame): boolean {
  return system !== undefined && isProblem(error) && error.data.sqlstate === 'XX000'
}

/**
 * Returns a frame in a reference system.
 *
 * @throws {Problem} request/invalid if images in it are not supported
 */
export async function frameInSystem(database: Database, frame: ImageFrame, srs = 3857): Promise<ImageFrame> {
  if (srs === 3857) return frame
  const system = await findImageSystem(database, srs)
  if (system !== undefined) return { ...frame, system }
  throw problem('request/invalid', `srs: images in EPSG:${srs} are not supported.`)
}

/** Returns the problem of an image that extends beyond its reference system, for the error of the database. */
export function outsideImage(error: unknown, frame: ImageFrame): unknown {
  if (!isOutside(error, frame)) return error
  const message = `The image, or a layer on it, extends beyond the area of EPSG:${frame.system?.srs}.`
  return problem('request/invalid', message, { hint: 'Request a smaller extent.' })
}
