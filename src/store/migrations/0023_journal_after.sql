-- Values that a change sets and that an undo merges with later ones, such as layer trees: with keys of resources.
alter table journal_change add column after jsonb;
