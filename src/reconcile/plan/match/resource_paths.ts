import type { Manifest, WantedResource } from '../../../manifest/manifest.ts'
import { type ActualTree, pathOf } from '../../model/actual_tree.ts'
import type { Match } from './match.ts'

/** Returns a function that finds the display names from the root to a key. */
export function pathFinder(manifest: Manifest, actual: ActualTree, match: Match) {
  const known = new Map<string, readonly string[]>()
  const find = (key: string): readonly string[] => {
    const before = known.get(key)
    if (before !== undefined) return before
    const wanted = manifest.resources.get(key)
    const there = match.pairs.get(key)
    const name = wanted?.displayName ?? there?.displayName ?? key
    const inTree = wanted?.existing || wanted?.parent === undefined
    const path =
      inTree && there !== undefined ? pathOf(actual, there.id) : [...parentPath(wanted, find), name]
    known.set(key, path)
    return path
  }
  return find
}

function parentPath(
  wanted: WantedResource | undefined,
  find: (key: string) => readonly string[],
): readonly string[] {
  return wanted?.parent === undefined ? [] : find(wanted.parent)
}
