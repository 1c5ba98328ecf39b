import { core, type ProblemKind } from './kind.ts'

/** Problems of plan, policy and apply. */
export const planProblems = {
  'undo/nothing': {
    title: 'Nothing to undo',
    exit: 1,
    advice: 'List the applies with landform history.',
  },
  'undo/running': {
    title: 'The apply may still be running',
    exit: 1,
    advice: 'Wait until it ends, or stop it.',
  },
  'undo/edited': {
    title: 'Changed since the apply',
    exit: 1,
    advice: 'Review the resource, and use --overwrite with its key.',
  },
  'undo/data-lost': {
    title: 'Deleted data are not kept any longer',
    exit: 1,
    advice: 'Load the data again, or undo the rest with --without-data.',
  },
  'undo/records': {
    title: 'Records of the catalog are not restored',
    exit: 1,
    advice: 'Apply the former manifest to restore them.',
  },
  'undo/secret': {
    title: 'Secrets are not restored',
    exit: 1,
    advice: 'Set the environment variable with the secret, or apply the former manifest, which sends it.',
  },
  'undo/owners': {
    title: 'Owners of resources are not restored',
    exit: 1,
    advice: 'Let an administrator undo the apply, or set the owners afterwards.',
  },
  'undo/features': {
    title: 'Descriptions and attachments of features are not restored',
    exit: 1,
    advice: 'Apply the former manifest to restore them.',
  },
  'journal/not-found': {
    title: 'Entry of the journal not found',
    exit: 1,
    status: 404,
    exception: `${core}.ValidationError`,
    advice: 'List the entries with landform history.',
  },
  'plan/renamed': {
    title: 'Possible rename',
    exit: 3,
    advice: 'Add was: with the old key if it is the same resource.',
  },
  'plan/ambiguous': {
    title: 'Ambiguous match',
    exit: 3,
    advice: 'Identify the resource with id:.',
  },
  'plan/missing': {
    title: 'Resource missing',
    exit: 1,
    advice: 'Create it, or correct its key or id.',
  },
  'plan/wrong-class': {
    title: 'Class differs on the server',
    exit: 3,
    advice: 'Use another key, or delete the old resource.',
  },
  'plan/foreign': {
    title: 'Managed by another manifest',
    exit: 1,
    advice: 'Remove it from one of the manifests, or take it over with --adopt.',
  },
  'adopt/changed': {
    title: 'Other changes beside an adoption',
    exit: 1,
    advice: 'Compare the listed resources with landform plan, and with landform history.',
  },
  'plan/replace': {
    title: 'Replacement required',
    exit: 1,
    advice: 'Allow the replacement with --replace KEY.',
  },
  'plan/unknown': {
    title: 'Resource not readable',
    exit: 1,
    advice: 'Use an account with permission to read it.',
  },
  'plan/unwritable': {
    title: 'Ownership cannot be recorded',
    exit: 1,
    advice: 'Use an account that has metadata.write on the resource.',
  },
  'plan/fuse': {
    title: 'Too many deletions',
    exit: 1,
    advice: 'Allow each with --allow-delete KEY, or raise --fuse.',
  },
  'plan/incomplete': {
    title: 'Incomplete view of the tree',
    exit: 1,
    advice:
      'Prune with an account that can read the whole tree, or name what to delete with --allow-delete KEY.',
  },
  'plan/protected': {
    title: 'Resource is protected',
    exit: 1,
    advice: 'Put its block back without protect: true, and apply; then remove the block.',
  },
  'pull/not-written': {
    title: 'Change on the server not written',
    exit: 1,
    advice: 'Change the manifest by hand.',
  },
  'plan/data-not-pulled': {
    title: 'Data not pulled',
    exit: 1,
    advice: 'To create the resources on another server, pull with --with-data, or name files in data:.',
  },
  'plan/data-unknown': {
    title: 'Unknown source of the data',
    exit: 1,
    advice: 'Load the data again with --overwrite-data KEY; this replaces the current data.',
  },
  'plan/data-edited': {
    title: 'Data edited on the server',
    exit: 1,
    advice: 'Overwrite the edits with --overwrite-data KEY, or keep them with data: { mode: seed }.',
  },
  'plan/field-empty': {
    title: 'Field without values in the source',
    exit: 1,
    advice: 'Correct the name of the field.',
  },
  'plan/no-values': {
    title: 'Field added without values',
    exit: 1,
    advice: 'Load the source again with --overwrite-data KEY, or set the values on the server.',
  },
  'plan/data-missing': {
    title: 'Data missing',
    exit: 3,
    advice: 'Set the source with data: { source: … }.',
  },
  'plan/principal': {
    title: 'Unknown user or group',
    exit: 3,
    advice: 'Write user:KEYNAME or group:KEYNAME of an existing user or group.',
  },
  'plan/orphan': {
    title: 'No longer in the manifest',
    exit: 1,
    advice: 'Delete it with --prune.',
  },
  'plan/undescribed': {
    title: 'Not in the manifest',
    exit: 1,
    advice: 'Write it into the manifest with landform pull, or delete it by name.',
  },
  'plan/unconvertible': {
    title: 'Values that cannot be converted',
    exit: 1,
    advice: 'Correct the values, or keep the datatype and add another field.',
  },
  'plan/left-behind': {
    title: 'Left on the server, and no longer in the manifest',
    exit: 1,
    advice: 'Reset it with --prune, or name it in the manifest again.',
  },
  'plan/taken-along': {
    title: 'Would delete other resources',
    exit: 1,
    advice: 'Move them first, or allow the deletion with --allow-delete KEY.',
  },
  'plan/referenced': {
    title: 'Used by other resources',
    exit: 1,
    advice: 'Change the resources that use it first, or allow the loss with --allow-loss KEY.',
  },
  'plan/file-loss': {
    title: 'Would remove most files',
    exit: 1,
    advice: 'Check the files and patterns in files, or allow the loss with --allow-loss KEY.',
  },
  'plan/unsupported': {
    title: 'Not supported by the server',
    exit: 1,
    advice: 'Remove it from the manifest, or use a landform server.',
  },
  'plan/capture': {
    title: 'Unusable capture',
    exit: 3,
    advice: 'Capture the server again with landform capture.',
  },
  'plan/saved': {
    title: 'Unusable saved plan',
    exit: 3,
    advice: 'Save the plan again with landform plan --out.',
  },
  'plan/spent': {
    title: 'Obsolete was:',
    exit: 3,
    advice: 'Remove was: because the rename is complete.',
  },
  'plan/forbidden-gain': {
    title: 'Forbidden gain of access',
    exit: 5,
    advice: 'Change the rules that cause it, or plan without --forbid-public-gain and --forbid-gain.',
  },
  'plan/access-unknown': {
    title: 'Access not known',
    exit: 1,
    advice: 'Use an administrator who can read all resources.',
  },
  'policy/invalid': {
    title: 'Invalid policy',
    exit: 3,
    advice: 'Correct the listed errors.',
  },
  'policy/bad-value': {
    title: 'Invalid value',
    exit: 3,
    advice: 'Correct the value.',
  },
  'policy/unknown-field': {
    title: 'Unknown field',
    exit: 3,
    advice: 'Remove the field, or correct its name.',
  },
  'policy/missing-field': {
    title: 'Missing field',
    exit: 3,
    advice: 'Add the field.',
  },
  'policy/bad-expression': {
    title: 'Invalid expression of a policy',
    exit: 3,
    advice: 'Correct the CEL expression.',
  },
  'policy/violated': {
    title: 'Policy violated',
    exit: 5,
    advice: 'Change the manifest, or the policy.',
  },
  'policy/failed': {
    title: 'Policy rule cannot be evaluated',
    exit: 1,
    advice: 'Correct the expression: test for null before members of data and takes.',
  },
  'apply/failed': {
    title: 'Apply failed',
    exit: 1,
    advice: 'Resolve the cause and run apply again; it continues where it stopped.',
  },
  'apply/stale': {
    title: 'Stale plan',
    exit: 1,
    advice: 'Plan again.',
  },
} as const satisfies Record<string, ProblemKind>
