-- Who applied which manifest when, and what it changed.
create table journal_entry (
  id        integer generated always as identity primary key,
  user_id   integer references principal on delete set null,
  -- As it was then: users are renamed and deleted.
  user_name text not null,
  manifest  text not null,
  commit    text,
  plan      text,
  -- Entry that this apply undoes.
  undoes    integer,
  began_at  timestamp not null default (now() at time zone 'utc'),
  ended_at  timestamp,
  -- Null while it runs, or if its client was lost.
  result    text
);
create index journal_entry_user on journal_entry (user_id);

create table journal_change (
  entry_id     integer not null references journal_entry on delete cascade,
  position     integer not null,
  action       text not null,
  key          text not null,
  cls          text not null,
  display_name text not null,
  -- No foreign key: the journal outlives resources.
  resource_id  integer,
  outcome      text,
  -- Of the resource after the change.
  version      integer,
  -- Data that the change deletes, in words.
  loses        text[],
  -- Resource before the change, with its descendants if they are deleted.
  before       jsonb,
  primary key (entry_id, position)
);
create index journal_change_resource on journal_change (resource_id, entry_id);
create index journal_change_key on journal_change (key, entry_id);
