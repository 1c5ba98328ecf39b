-- When, and by whom, a resource and its data were last changed. Resources without a row were not changed since their creation.
create table last_change (
  resource_id integer not null references resource on delete cascade,
  -- Requests that hold the lock of a resource write one row, those that hold the lock of its layer the other.
  part        text not null check (part in ('resource', 'data')),
  changed_at  timestamp not null default (now() at time zone 'utc'),
  user_id     integer references principal on delete set null,
  primary key (resource_id, part)
);
create index last_change_user on last_change (user_id);
