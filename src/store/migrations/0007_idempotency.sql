-- Requests that came with a key of their client's: what they are, who is at work on them, and what was answered.
create table idempotency_key (
  user_id    integer not null references principal on delete cascade,
  key        text not null,
  -- Names the one attempt that may finish it.
  claim      text not null,
  -- The process at work, and when it last said so.
  instance   text not null,
  touched_at timestamp not null default (now() at time zone 'utc'),
  -- Request and answer, sealed with the key of the server: both may hold a secret. No answer: not done yet.
  request    text not null,
  answer     text,
  created_at timestamp not null default (now() at time zone 'utc'),
  primary key (user_id, key)
);
create index idempotency_key_created on idempotency_key (created_at);
