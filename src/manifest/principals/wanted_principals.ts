import { resolve } from 'node:path'
import type { Issue } from '../../core/issue.ts'
import { gatherBlocks } from '../block_tree.ts'
import type { SecretSource, WantedPrincipal, WantedPrincipals } from '../manifest.ts'
import { spanOfBlock } from '../manifest_block.ts'
import type { ManifestSource } from '../resolve_source.ts'
import { checkPrincipalBlocks, type PrincipalBlocks, readMemberships } from './check_principals.ts'
import { type PrincipalBlock, principalSectionOf, type ReadPrincipalBlocks } from './principal_block.ts'

/** The users and groups of all files, by kind and key, with all issues. */
export interface GatheredPrincipals {
  readonly principals: PrincipalBlocks
  readonly issues: readonly Issue[]
}

/** Gathers and checks the users and groups of all files. */
export function gatherPrincipals(read: readonly ReadPrincipalBlocks[]): GatheredPrincipals {
  const all = read.flatMap(({ blocks }) => blocks)
  const users = gatherBlocks(all.filter(({ kind }) => kind === 'user'))
  const groups = gatherBlocks(all.filter(({ kind }) => kind === 'group'))
  const principals: PrincipalBlocks = { user: users.blocks, group: groups.blocks }
  const issues = [
    ...read.flatMap((one) => one.issues),
    ...users.issues,
    ...groups.issues,
    ...checkPrincipalBlocks(principals),
  ]
  return { principals, issues }
}

/** Converts blocks without errors to the desired users and groups; undefined if no file has a section for them. */
export function wantedPrincipals(
  { user, group }: PrincipalBlocks,
  sources: readonly ManifestSource[],
): WantedPrincipals | undefined {
  const sections = Object.values(principalSectionOf)
  if (!sources.some(({ value }) => sections.some((name) => Object.hasOwn(value as object, name))))
    return undefined
  return { user: wantedOfKind(user), group: wantedOfKind(group) }
}

function wantedOfKind(blocks: ReadonlyMap<string, PrincipalBlock>): ReadonlyMap<string, WantedPrincipal> {
  const sorted = [...blocks.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  return new Map(sorted.map((block) => [block.key, wantedPrincipal(block)]))
}

/** Returns the desired state that a valid block of a user or a group describes. */
export function wantedPrincipal(block: PrincipalBlock): WantedPrincipal {
  const { was, password, member_of: _, members: __, ...members } = block.value
  const memberships = readMemberships(block)
  return {
    kind: block.kind,
    key: block.key,
    ...(was === undefined ? {} : { was: String(was) }),
    members,
    ...(memberships === undefined ? {} : { memberships }),
    ...(password === undefined ? {} : { password: secretSource(password, block.source.folder) }),
    spanOf: spanOfBlock(block),
  }
}

function secretSource(written: unknown, folder: string): SecretSource {
  const { env, file, command } = written as {
    readonly env?: string
    readonly file?: string
    readonly command?: readonly string[]
  }
  if (env !== undefined) return { env }
  if (file !== undefined) return { file, path: resolve(folder, file) }
  return { command: command ?? [], folder }
}
