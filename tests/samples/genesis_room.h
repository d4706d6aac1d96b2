// The classes of the sample's entities.
#pragma GE_BrushContents
typedef enum
{
	Water = 0x00010000,
} Contents;

#pragma GE_Type("Player.ico")
typedef struct StartPlace
{
#pragma GE_Published
	geVec3d	Origin;
	int	Team;
#pragma GE_Origin(Origin)
#pragma GE_DefaultValue(Team, "1")
#pragma GE_Documentation(Team, "Which team starts here")
} StartPlace;

#pragma GE_Type("Door.ico")
typedef struct SlidingDoor
{
#pragma GE_Private
	geBoolean	Moving;
#pragma GE_Published
	geVec3d	Origin;
	geWorld_Model	*Model;
	float	Wait;
	geBoolean	Locked;
	char	*Sound;
#pragma GE_Origin(Origin)
#pragma GE_DefaultValue(Wait, "2.5")
#pragma GE_Documentation(Wait, "Seconds that it stays open")
#pragma GE_DefaultValue(Locked, "0")
} SlidingDoor;
