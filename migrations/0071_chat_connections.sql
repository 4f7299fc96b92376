-- Platforms whose events come over a connection that we hold, one process for each workspace.
alter table workspaces drop constraint workspaces_platform_check;
alter table workspaces add constraint workspaces_platform_check
  check (platform in ('built-in', 'slack', 'discord', 'teams', 'telegram', 'google-chat', 'mattermost'));

create table standing_connections (
  workspace_id text primary key references workspaces,
  -- The process that holds the connection, and until when nobody else may take it.
  holder       text not null,
  held_until   timestamptz not null,
  -- Since when the platform talks to us; null while it does not.
  open_since   timestamptz,
  -- What the platform wants to hear so that it goes on where it was.
  session      json,
  -- All that was sent until then is stored. What came after it is fetched when a session cannot go on.
  seen_until   timestamptz
);

-- What is said in a private channel of a platform is not shown to every member here.
alter table channels add column is_private boolean not null default false;
