/* fedwalk.h -- FedWalk (Pan, Zhu, KDD 2022), a party's half: the devices that it hosts. */
#ifndef PARTY_FEDWALK_FEDWALK_H
#define PARTY_FEDWALK_FEDWALK_H

#include "party/work/work.h"

/* work->embedding becomes FEDWALK_DIMS floats for each of the dataset's nodes, zeros for those
 * that are hosted elsewhere and those without ties. */
enum err party_fedwalk(struct work *work) MUST_CHECK;

#endif
