import type { ProblemKind } from './kind.ts'

/** Findings of `landform lint`, all of them warnings. */
export const lintProblems = {
  'lint/unseen-layer': {
    title: 'Layer that only administrators can read',
    exit: 3,
    advice: 'Allow data.read on the layer, and resource.read on it and on all resources above it.',
  },
  'lint/public-write': {
    title: 'Guests can write',
    exit: 3,
    advice: 'Allow writing for authenticated, or for a group.',
  },
  'lint/guests-only': {
    title: 'Guests may do more than signed-in users',
    exit: 3,
    advice: 'Write everyone for guest, which means only users who are not signed in.',
  },
  'lint/unreadable-layer': {
    title: 'Web map with a layer that its readers cannot read',
    exit: 3,
    advice:
      'Allow the permission that is missing, such as connection.connect on the connection of a layer, or remove the layer from the map.',
  },
  'lint/unused-style': {
    title: 'Unused style',
    exit: 3,
    advice: 'Add the style to a web map or a service, or remove it.',
  },
  'lint/similar-names': {
    title: 'Names that differ only by case',
    exit: 3,
    advice: 'Use display names that people can tell apart.',
  },
  'lint/two-sources': {
    title: 'Data with two owners',
    exit: 3,
    advice: 'Load the data of a layer from the manifest or from one pipeline.',
  },
  'lint/unused-ignore': {
    title: 'Comment without effect',
    exit: 3,
    advice: 'Remove the comment, or correct its codes.',
  },
} as const satisfies Record<string, ProblemKind>
